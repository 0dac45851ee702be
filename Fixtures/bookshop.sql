-- A small bookshop, as an application in daily use might have it.
PRAGMA user_version = 3;

CREATE TABLE author(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  born INTEGER
);
CREATE TABLE book(
  id INTEGER PRIMARY KEY,
  isbn TEXT UNIQUE,
  title TEXT NOT NULL,
  author INTEGER NOT NULL REFERENCES author(id) ON DELETE RESTRICT,
  published DATE,
  price REAL NOT NULL CHECK(price >= 0),
  stock INTEGER NOT NULL DEFAULT 0,
  worth REAL GENERATED ALWAYS AS (price * stock) VIRTUAL,
  cover BLOB
);
CREATE INDEX book_author ON book(author, published DESC);
CREATE TABLE sale(
  book INTEGER NOT NULL REFERENCES book(id),
  at TEXT NOT NULL,
  copies INTEGER NOT NULL,
  PRIMARY KEY(book, at)
) WITHOUT ROWID;
CREATE VIEW bestseller AS
  SELECT title, sum(copies) AS copies FROM sale JOIN book ON book.id = sale.book
  GROUP BY book.id ORDER BY copies DESC, title;
CREATE TRIGGER sale_takes_stock AFTER INSERT ON sale BEGIN
  UPDATE book SET stock = stock - NEW.copies WHERE id = NEW.book;
END;
CREATE VIRTUAL TABLE book_text USING fts5(title, blurb);

INSERT INTO author VALUES
  (1, '夏目 漱石', 1867),
  (2, 'Ursula K. Le Guin', 1929),
  (3, 'Jorge Luis Borges', 1899),
  (4, '村上 春樹', 1949),
  (5, 'Selma Lagerlöf', 1858);
INSERT INTO book(id, isbn, title, author, published, price, stock, cover) VALUES
  (1, '9784101010014', '吾輩は猫である', 1, '1905-01-01', 693, 12, NULL),
  (2, '9784101010137', 'こころ', 1, '1914-09-20', 407, 30, NULL),
  (3, '9780061054884', 'The Dispossessed', 2, '1974-05-01', 17.99, 8, x'89504e470d0a1a0a'),
  (4, '9780441478125', 'The Left Hand of Darkness', 2, '1969-03-01', 18, 5, NULL),
  (5, '9788420633114', 'Ficciones', 3, '1944-01-01', 10.9, 4, NULL),
  (6, '9784103534228', '1Q84', 4, '2009-05-29', 1980, 9, NULL),
  (7, NULL, 'Nils Holgerssons underbara resa', 5, '1906-11-24', 12.5, 2, NULL);
INSERT INTO sale VALUES
  (2, '2026-11-27 10:15:00', 2),
  (6, '2026-11-27 12:01:30', 1),
  (3, '2026-11-28 09:30:00', 3),
  (2, '2026-11-28 18:44:10', 1),
  (1, '2026-11-29 11:05:00', 2);
INSERT INTO book_text VALUES
  ('The Dispossessed', 'A physicist travels between two worlds divided by a wall'),
  ('The Left Hand of Darkness', 'An envoy on a winter world'),
  ('Ficciones', 'Libraries, labyrinths and mirrors');
