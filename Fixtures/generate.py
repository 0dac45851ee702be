#!/usr/bin/env python3
"""Makes the database files in this folder, and proves that they still hold what they should.

usage: generate.py [--into FOLDER]    write the files (default: this folder)
       generate.py --check            compare the committed files with their definitions below

Python's standard library and, for the LMDB files, mdb_load and mdb_dump are all it needs. Each file exists for one trap; README.md in this folder
lists them. The logical content is the same on every run; the bytes depend on the SQLite version,
and side files hold random numbers, so a file is only written again when its content differs.
"""

import argparse
import hashlib
import os
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SIDES = ("-wal", "-journal", "-shm")
FIXTURES = {}  # name -> Fixture


class Fixture:
    """One file: how to make it, and how to prove that a file is it."""

    def __init__(self, name, build, prove=None, sides=()):
        self.name, self.build, self.sides = name, build, sides
        self.prove = prove  # None: the content of a sound database, compared as a whole


def fixture(name, prove=None, sides=()):
    """Registers a builder, which gets the path to write."""

    def register(build):
        FIXTURES[name] = Fixture(name, build, prove, sides)
        return build

    return register


def database(path, script="", page_size=4096, **pragmas):
    """Makes a database of a script and returns the open connection, in autocommit mode."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA page_size={page_size}")
    for name, value in pragmas.items():
        connection.execute(f"PRAGMA {name}={value}")
    connection.executescript(script)
    return connection


def patch(path, *edits):
    """Overwrites bytes of a file: (offset, bytes) pairs."""
    with open(path, "r+b") as file:
        for offset, data in edits:
            file.seek(offset)
            file.write(data)


def sql_fixture(name, script, **options):
    """Registers a file that is only a script."""

    @fixture(name)
    def build(path):
        database(path, script, **options).close()


# ------------------------------------------------------------------------------------- values, names

VALUES = [
    ("inf", "9e999"), ("ninf", "-9e999"), ("big", "9007199254740993"),
    ("i64max", "9223372036854775807"), ("i64min", "-9223372036854775808"), ("r01", "0.1"),
    ("r17", "0.30000000000000004"), ("r1", "1.0"), ("neg0", "-0.0"),
    ("denorm", "4.9406564584124654e-324"), ("null", "NULL"), ("empty", "''"),
    ("emptyblob", "x''"), ("blob", "x'00ff10'"), ("nul", "'a'||char(0)||'b'"),
    ("badutf8", "CAST(x'61ff62' AS TEXT)"), ("surrogate", "CAST(x'eda080' AS TEXT)"),
    ("nl", "'a'||char(10)||'b'||char(13)||char(10)||'c'"), ("quote", "'it''s \"q\", ok'"),
    ("tab", "'a'||char(9)||'b'"), ("esc", "char(27)||'[31mred'||char(27)||'[0m'"),
    ("bidi", "char(8238)||'abc'"), ("wide", "'日本語'"), ("emoji", "'👩‍👩‍👧‍👦'"),
    ("combining", "'e'||char(769)"), ("formula", "'=1+1'"), ("numtext", "'007'"),
    ("nantext", "'NaN'"),
]

sql_fixture(
    "values.sqlite",
    "CREATE TABLE v(k TEXT PRIMARY KEY, x);"
    + "".join(f"INSERT INTO v VALUES('{key}',{value});" for key, value in VALUES),
    page_size=1024)

sql_fixture("names.sqlite", '''
CREATE TABLE "select"("from" INTEGER, "a b" TEXT, "q""uote" TEXT, "br]acket" TEXT, "日本" TEXT, "" TEXT);
INSERT INTO "select" VALUES(1,'x','y','z','w','v');
CREATE TABLE "has""quote"(x);
CREATE TABLE "dot.ted"(x);
CREATE TABLE "sp ace"(x);
CREATE TABLE "semi;colon"(x);
CREATE TABLE "new
line"(x);
CREATE TABLE "--dash"(x);
CREATE TABLE "123"(x);
CREATE TABLE Case_(x);
''', page_size=512)

# ------------------------------------------------------------------------------------------ structures

sql_fixture("structs.sqlite", """
CREATE TABLE wr(a TEXT, b INTEGER, c, PRIMARY KEY(b,a)) WITHOUT ROWID;
INSERT INTO wr VALUES('x',1,2),('y',0,3);
CREATE TABLE gen(w REAL, h REAL, area REAL GENERATED ALWAYS AS (w*h) STORED, per REAL AS (2*(w+h)) VIRTUAL);
INSERT INTO gen(w,h) VALUES(2,3),(NULL,1);
CREATE TABLE st(i INTEGER PRIMARY KEY, t TEXT, a ANY) STRICT;
INSERT INTO st VALUES(1,'t',x'00'),(2,'u',1.5);
CREATE TABLE auto(id INTEGER PRIMARY KEY AUTOINCREMENT, v);
INSERT INTO auto(v) VALUES(1),(2),(3);
DELETE FROM auto WHERE id=3;
CREATE TABLE norowidname(rowid TEXT, oid TEXT, _rowid_ TEXT);
INSERT INTO norowidname VALUES('r','o','_');
CREATE TABLE p(id INTEGER PRIMARY KEY);
CREATE TABLE ch(id INTEGER PRIMARY KEY, pid REFERENCES p(id) ON DELETE CASCADE);
INSERT INTO ch VALUES(1,99);
CREATE VIEW bad AS SELECT * FROM missing_table;
CREATE VIEW ok AS SELECT a, b FROM wr;
CREATE INDEX part ON wr(c) WHERE c > 2;
CREATE INDEX ex ON wr(lower(a) DESC, b COLLATE NOCASE);
CREATE TABLE log(x);
CREATE TRIGGER tr AFTER INSERT ON p BEGIN INSERT INTO log VALUES('a;b'); END;
CREATE VIRTUAL TABLE ft USING fts5(title, body);
INSERT INTO ft VALUES('hello','big world');
CREATE VIRTUAL TABLE rt USING rtree(id,x0,x1);
INSERT INTO rt VALUES(1,0,1);
PRAGMA user_version=42;
PRAGMA application_id=1234;
ANALYZE;
""", page_size=512)

sql_fixture(
    "wide2000.sqlite",
    "CREATE TABLE wide(" + ",".join(f"c{number}" for number in range(2000)) + ");"
    "INSERT INTO wide DEFAULT VALUES;", page_size=1024)

for _name, _encoding in (("utf16.sqlite", "UTF-16le"), ("utf16be.sqlite", "UTF-16be")):
    sql_fixture(
        _name, f"PRAGMA encoding='{_encoding}'; CREATE TABLE t(x TEXT); INSERT INTO t VALUES('日本語');",
        page_size=512)

for _size, _name in ((65536, "page64k.sqlite"), (512, "page512.sqlite")):
    sql_fixture(
        _name, "CREATE TABLE t(x); INSERT INTO t VALUES(zeroblob(10000));", page_size=_size)

sql_fixture("free.sqlite", """
CREATE TABLE t(x);
WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i<100)
INSERT INTO t SELECT printf('%0400d', i) FROM n;
DELETE FROM t WHERE rowid>10;
""", page_size=1024)

for _name, _rows in (
    ("diff-a", "(1,'one',NULL),(2,'two',2.0),(3,'three',x'00');"),
    ("diff-b", "(1,'one',''),(2,'TWO',2.0),(4,'four',NULL); CREATE TABLE extra(x);"),
):
    sql_fixture(
        _name + ".sqlite",
        "CREATE TABLE t(id INTEGER PRIMARY KEY, n TEXT, v); INSERT INTO t VALUES" + _rows,
        page_size=512)

# Copied under odd names by the tests: not every file system and archive keeps such names.
sql_fixture("one.sqlite", "CREATE TABLE t(x); INSERT INTO t VALUES(1);", page_size=512)

# ------------------------------------------------------------------------------- left by a crash


@fixture("wal-noshm.sqlite", sides=("-wal",))
def wal_without_shm(path):
    """The one committed row is only in the -wal; copied while a writer had the file open."""
    wal_source(path, ("", "-wal"))


@fixture("wal-lost.sqlite")
def wal_lost(path):
    """The same main file, its -wal gone."""
    wal_source(path, ("",))


def wal_source(path, suffixes):
    source = path + ".source"
    connection = database(
        source, "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; CREATE TABLE t(x);"
        "PRAGMA wal_checkpoint(TRUNCATE); INSERT INTO t VALUES('in-wal');", page_size=512)
    for suffix in suffixes:
        shutil.copyfile(source + suffix, path + suffix)
    connection.close()
    os.remove(source)


@fixture("wal.sqlite")
def wal_plain(path):
    """WAL mode, closed properly: no side file, everything in the main file."""
    database(
        path, "PRAGMA journal_mode=WAL; CREATE TABLE t(x); INSERT INTO t VALUES('checkpointed');",
        page_size=512).close()


@fixture("hot.sqlite", sides=("-journal",))
def hot_journal(path):
    """An update of all rows whose pages reached the file before the crash; the journal undoes it.

    The right answer is 400 rows 'before'. Who ignores the journal sees 'after!' rows that were
    never committed.
    """
    source = path + ".source"
    connection = database(
        source, "CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT, pad TEXT);"
        "BEGIN; WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i<400)"
        "INSERT INTO t SELECT i, 'before', printf('%090d', 0) FROM n; COMMIT;"
        "PRAGMA cache_size=5; PRAGMA cache_spill=1; BEGIN; UPDATE t SET x='after!';", page_size=1024)
    for suffix in ("", "-journal"):
        shutil.copyfile(source + suffix, path + suffix)
    connection.execute("ROLLBACK")
    connection.close()
    os.remove(source)


# --------------------------------------------------------------------------------------- damaged


def prove_corrupt_page(path):
    """quick_check finds the overwritten page; some of the 300 rows are still readable."""
    return refuses_check(path, "quick_check") and table_is_unreadable(path, "t")


@fixture("corrupt-page.sqlite", prove_corrupt_page)
def corrupt_page(path):
    """A leaf page in the middle of the table is overwritten."""
    connection = database(
        path, "CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT); CREATE INDEX ti ON t(x);"
        "BEGIN; WITH RECURSIVE n(i) AS (VALUES(0) UNION ALL SELECT i+1 FROM n WHERE i<299)"
        "INSERT INTO t(x) SELECT printf('row %d %060d', i, i) FROM n; COMMIT;", page_size=1024)
    leaf = connection.execute(
        "SELECT pageno FROM dbstat WHERE name='t' AND pagetype='leaf' ORDER BY path LIMIT 1 OFFSET 10"
    ).fetchone()[0]
    connection.close()
    patch(path, (1024 * (leaf - 1), b"\xde\xad\xbe\xef" * 256))


def prove_corrupt_index(path):
    """quick_check is silent, integrity_check is not, and the table itself has its rows."""
    return (
        not refuses_check(path, "quick_check") and refuses_check(path, "integrity_check")
        and query(path, "SELECT id, x FROM t NOT INDEXED") == [(1, "a"), (2, "b"), (3, "c")])


@fixture("corrupt-index.sqlite", prove_corrupt_index)
def corrupt_index(path):
    """One byte of an index key differs from the table: 'b' became 'Z'."""
    connection = database(
        path, "CREATE TABLE t(id INTEGER PRIMARY KEY, x TEXT); CREATE INDEX ti ON t(x);"
        "INSERT INTO t(x) VALUES('a'),('b'),('c');", page_size=512)
    connection.close()
    with open(path, "rb") as file:
        page = file.read()[1024:1536]
    # Serial types 15 (text of one byte) and 1 (one-byte integer), then the key itself.
    patch(path, (1024 + page.index(b"\x0f\x01b") + 2, b"Z"))


def prove_truncated(path):
    """The header counts more pages than the file has, and the last one is cut."""
    with open(path, "rb") as file:
        header = file.read(100)
    size = os.path.getsize(path)
    page_size, pages = struct.unpack(">H", header[16:18])[0], struct.unpack(">I", header[28:32])[0]
    return header.startswith(b"SQLite format 3\0") and size < page_size * pages and size % page_size


@fixture("truncated.sqlite", prove_truncated)
def truncated(path):
    """The last page and a part of the one before are missing."""
    database(
        path, "CREATE TABLE t(x); WITH RECURSIVE n(i) AS (VALUES(0) UNION ALL SELECT i+1 FROM n WHERE i<99)"
        "INSERT INTO t SELECT replace(printf('%20d',0),' ','row'||i||' ') FROM n;",
        page_size=1024).close()
    os.truncate(path, os.path.getsize(path) - 1024 - 100)


# ------------------------------------------------------------------------------- not what it seems


def bytes_fixture(name, data):
    """Registers a file of exactly these bytes."""

    def prove(path):
        with open(path, "rb") as file:
            return file.read() == data

    @fixture(name, prove)
    def build(path):
        with open(path, "wb") as file:
            file.write(data)


bytes_fixture("empty.sqlite", b"")
bytes_fixture("notadb.sqlite", b"hello, I am not a database\n" * 100)
# What an encrypted database looks like from outside: whole pages of random bytes.
bytes_fixture("encrypted.sqlite", random.Random(20261130).randbytes(8192))
# A Realm file's header: two top references, "T-DB", the formats of both (24), flags.
bytes_fixture(
    "realm.realm", struct.pack("<QQ4sBBBB", 24, 0, b"T-DB", 24, 24, 0, 0) + bytes(4096 - 24))


def lmdb_metas(word, end):
    """Two meta pages of an empty LMDB environment (lmdb 0.9's mdb.c: MDB_page, MDB_meta)."""
    none = (1 << (32 if word == "I" else 64)) - 1
    pages = b""
    for number in (0, 1):
        page = struct.pack(end + word + "HHI", number, 0, 0x08, 0)
        page += struct.pack(end + "II" + word * 2, 0xBEEFC0DE, 1, 0, 1 << 20)
        for pad, flags in ((4096, 0x08), (0, 0)):
            page += struct.pack(end + "IHH" + word * 5, pad, flags, 0, 0, 0, 0, 0, none)
        page += struct.pack(end + word * 2, 1, number)
        pages += page.ljust(4096, b"\0")
    return pages


bytes_fixture("lmdb.mdb", lmdb_metas("Q", "<"))
bytes_fixture("lmdb-32bit.mdb", lmdb_metas("I", "<"))
bytes_fixture("lmdb-big-endian.mdb", lmdb_metas("Q", ">"))


def prove_newer(path):
    with open(path, "rb") as file:
        header = file.read(20)
    return header.startswith(b"SQLite format 3\0") and header[18:20] == b"\3\3"


@fixture("newer.sqlite", prove_newer)
def newer(path):
    """Header versions that no SQLite knows yet (3; WAL is 2)."""
    database(path, "CREATE TABLE t(x);", page_size=512).close()
    patch(path, (18, b"\3\3"))


# --------------------------------------------------------------------------- made by other tools
# The marks by which their files are known, from the tools' published schemas; nothing else.

MADE_BY = {
    "grdb": "CREATE TABLE grdb_migrations(identifier TEXT NOT NULL PRIMARY KEY);"
    "INSERT INTO grdb_migrations VALUES('v1'),('v2');",
    "room": "CREATE TABLE android_metadata(locale TEXT); INSERT INTO android_metadata VALUES('en_US');"
    "CREATE TABLE room_master_table(id INTEGER PRIMARY KEY, identity_hash TEXT);"
    "INSERT INTO room_master_table VALUES(42,'0123456789abcdef0123456789abcdef'); PRAGMA user_version=7;",
    "coredata": "CREATE TABLE Z_METADATA(Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);"
    "CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);"
    "CREATE TABLE ZNOTE(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCREATED TIMESTAMP, ZTEXT VARCHAR);"
    "INSERT INTO Z_PRIMARYKEY VALUES(1,'Note',0,1); INSERT INTO ZNOTE VALUES(1,1,1,694224000.0,'note');",
    "django": "CREATE TABLE django_migrations(id integer NOT NULL PRIMARY KEY AUTOINCREMENT,"
    " app varchar(255) NOT NULL, name varchar(255) NOT NULL, applied datetime NOT NULL);"
    "INSERT INTO django_migrations(app,name,applied) VALUES('auth','0001_initial','2026-01-01 00:00:00');",
    "rails": "CREATE TABLE schema_migrations(version varchar NOT NULL PRIMARY KEY);"
    "CREATE TABLE ar_internal_metadata(key varchar NOT NULL PRIMARY KEY, value varchar,"
    " created_at datetime(6) NOT NULL, updated_at datetime(6) NOT NULL);"
    "INSERT INTO schema_migrations VALUES('20260101000000');",
}
for _name, _script in MADE_BY.items():
    sql_fixture(f"made-by-{_name}.sqlite", _script, page_size=512)

# ------------------------------------------------------------------------------------- for the demo

with open(os.path.join(HERE, "bookshop.sql"), encoding="utf-8") as _file:
    sql_fixture("bookshop.sqlite", _file.read(), page_size=1024)


@fixture("old-shop.sqlite")
def old_shop(path):
    """As SQLite 3.6 of 2010 wrote it: schema format 1, no page count and no version in the header.

    Format 1 knows no descending index and stores 0 and 1 in a byte of their own, so the content
    has neither; such a header makes every reader take the page count from the file's size.
    """
    database(path, """
CREATE TABLE orders(id INTEGER PRIMARY KEY, placed TEXT, customer TEXT, total REAL);
INSERT INTO orders VALUES(2,'2010-12-24 17:05:00','Hanako Sato',1280.5);
INSERT INTO orders VALUES(3,'2011-01-04 09:12:30','Jürgen Müller',19.95);
INSERT INTO orders VALUES(4,'2011-01-04 10:00:00','佐藤 花子',NULL);
CREATE INDEX orders_placed ON orders(placed);
""", page_size=1024).close()
    patch(path, (28, bytes(4)), (44, struct.pack(">I", 1)), (92, bytes(8)))


# ------------------------------------------------------------------------------------------- proof


def opened(path):
    """A connection to a private copy with its side files, so that nothing here is ever touched."""
    folder = tempfile.mkdtemp(prefix="kura-fixture-")
    copy = os.path.join(folder, "x.sqlite")
    for suffix in ("",) + SIDES[:2]:
        if os.path.exists(path + suffix):
            shutil.copyfile(path + suffix, copy + suffix)
    connection = sqlite3.connect(copy, isolation_level=None)
    connection.text_factory = bytes
    return folder, connection


def query(path, sql):
    folder, connection = opened(path)
    try:
        decode = lambda value: value.decode() if isinstance(value, bytes) else value
        return [tuple(map(decode, row)) for row in connection.execute(sql)]
    finally:
        connection.close()
        shutil.rmtree(folder)


def refuses_check(path, pragma):
    try:
        return query(path, f"PRAGMA {pragma}") != [("ok",)]
    except sqlite3.DatabaseError:
        return True


def table_is_unreadable(path, table):
    try:
        query(path, f"SELECT * FROM {table} NOT INDEXED")
    except sqlite3.DatabaseError:
        return True
    return False


def content(path):
    """A digest of everything logical in a sound database: settings, schema and values with types."""
    folder, connection = opened(path)
    digest = hashlib.sha256()

    def add(*parts):
        digest.update(repr(parts).encode())

    def quoted(name):
        return '"' + name.decode().replace('"', '""') + '"'

    try:
        with open(path, "rb") as file:
            header = file.read(100)
        # Page size, versions, schema format, encoding, user version, application identifier.
        add(header[16:20], header[44:48], header[56:60], header[60:64], header[68:72])
        add(connection.execute("PRAGMA integrity_check").fetchall())
        shadows = {
            row[0] for row in connection.execute("SELECT name FROM pragma_table_list WHERE type='shadow'")}
        for row in connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid"):
            if row[1] not in shadows and row[2] not in shadows:
                add(row)
        tables = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type='table' ORDER BY name").fetchall()
        for (name,) in tables:
            # What virtual tables and ANALYZE keep for themselves differs between SQLite versions.
            if name in shadows or name.startswith(b"sqlite_stat"):
                continue
            add(name)
            for row in connection.execute(f"SELECT * FROM {quoted(name)} NOT INDEXED"):
                add(tuple((type(value).__name__, value) for value in row))
        return digest.hexdigest()
    finally:
        connection.close()
        shutil.rmtree(folder)


def same(item, committed, fresh):
    """Why a committed file is not what its builder makes, or None."""
    for suffix in ("",) + tuple(item.sides):
        if not os.path.exists(committed + suffix):
            return f"{item.name}{suffix} is missing"
    for suffix in SIDES:
        if suffix not in item.sides and os.path.exists(committed + suffix):
            return f"{item.name}{suffix} should not be there; somebody opened the file in place"
    try:
        if item.prove:
            return None if item.prove(committed) else f"{item.name} is not as its builder says"
        return None if content(committed) == content(fresh) else f"{item.name} has other content"
    except (sqlite3.DatabaseError, OSError, ValueError) as error:
        return f"{item.name}: {error}"


# -------------------------------------------------------------------------------------------------- LMDB

class Environment:
    """The content of an LMDB file: databases with flags and entries, in the order that they have."""

    def __init__(self, *databases):
        self.databases = databases  # (name or None for the main one, flags, [(key, value)])

    def text(self):
        """What mdb_load reads."""
        lines = []
        for name, flags, entries in self.databases:
            lines += ["VERSION=3", "format=bytevalue"] + ([f"database={name}"] if name else [])
            lines += ["type=btree", "mapsize=67108864"] + [f"{flag}=1" for flag in flags] + ["HEADER=END"]
            lines += [f" {part.hex()}" for entry in entries for part in entry] + ["DATA=END"]
        return "".join(line + "\n" for line in lines).encode()

    def build(self, path):
        subprocess.run(["mdb_load", "-n", path], input=self.text(), check=True)
        os.remove(path + "-lock")

    def prove(self, path):
        """Whether mdb_dump finds exactly the entries."""
        for name, _, entries in self.databases:
            found = Environment.dump(path, name)
            if name is None:
                names = {other.encode() for other, _, _ in self.databases if other}
                found = [(key, value) for key, value in found if key not in names]
            if found != entries:
                return False
        return True

    @staticmethod
    def dump(path, name):
        with tempfile.TemporaryDirectory(prefix="kura-fixtures-") as folder:
            copy = os.path.join(folder, "copy.mdb")
            shutil.copyfile(path, copy)
            run = subprocess.run(
                ["mdb_dump", "-n"] + (["-s", name] if name else []) + [copy], capture_output=True, check=False)
        lines = [bytes.fromhex(line[1:].decode()) for line in run.stdout.splitlines() if line.startswith(b" ")]
        return list(zip(lines[::2], lines[1::2]))


def lmdb_fixture(name, *databases):
    """Registers an LMDB file, which is one file without a folder."""
    environment = Environment(*databases)
    fixture(name, environment.prove)(environment.build)


def words(*texts):
    return [(text.encode(), text.encode()) for text in texts]


def native(*numbers):
    return [struct.pack("<Q", number) for number in numbers]


lmdb_fixture(
    "dup.mdb",
    ("dup", ["dupsort"], [(b"k", b"a"), (b"k", b"b"), (b"k", b"c"), (b"k2", b"only")]),
    ("dupfixed", ["dupsort", "dupfixed", "integerdup"],
     [(b"k", value) for value in native(1, 2, 300)]),
    ("intkey", ["integerkey"], [(key, b"v%d" % number) for key, number in zip(native(1, 256, 65536), (1, 256, 65536))]),
    ("rev", ["reversekey"], words("ba", "ca", "ab")),
    ("日本", [], words("ab", "ba", "ca")))
lmdb_fixture("mixed.mdb", (None, [], [(b"plain", b"not a sub-database")]), ("sub", [], []))
lmdb_fixture(
    "flat.mdb", (None, [], [(b"\0\xff", b"bin"), (b"a=b", b"x\ny"), (b"a\\b", b"x\\41y"), (b"k", b"v")]))
CODED = [
    (b"ansi", b"\x1b[31mred"), (b"badutf8", b"a\xffb"), (b"big", b"z" * 20000),
    (b"bplist", b"bplist00\xd1\x01\x02Qa\x10\x01\x08\x0b\x0d" + bytes(6) + b"\1\1" + bytes(7) + b"\3" + bytes(15) + b"\x0f"),
    (b"cbor", bytes.fromhex("bf61610161629f0203ffff")), (b"empty", b""), (b"f64", struct.pack("<d", 3.5)),
    (b"gzip", bytes.fromhex("1f8b0800000000000203cb48cdc9c9070086a6103605000000")),
    (b"json", b'{"a":[1,2,{"b":null}]}'), (b"msgpack", b"\x82\xa1a\x01\xa1b\x93\x01\x02\xc0"),
    (b"u64be", struct.pack(">Q", 1 << 40)), (b"u64le", struct.pack("<Q", 1 << 40)),
    (b"utf8", "日本語".encode()), (b"uuid", bytes(range(16))), (b"zlib", bytes.fromhex("789ccb48cdc9c9cf20850000116a14c9")),
]
lmdb_fixture("coded.mdb", (None, [], CODED))


def cut_fixture(name, size):
    """Registers the beginning of a file whose newest meta page needs eight pages."""

    def prove(path):
        with open(path, "rb") as file:
            data = file.read()
        return len(data) == size and struct.unpack_from("<Q", data, 4096 + 136)[0] == 7

    @fixture(name, prove)
    def build(path):
        Environment((None, [], CODED)).build(path)
        os.truncate(path, size)


cut_fixture("cut-at-page.mdb", 8192)
cut_fixture("cut-in-page.mdb", 8292)


def missing_modules():
    """What Python's SQLite lacks to make the files; empty when nothing."""
    connection = sqlite3.connect(":memory:")
    lacking = []
    if sqlite3.sqlite_version_info < (3, 37, 0):
        lacking.append(f"SQLite 3.37 (this Python has {sqlite3.sqlite_version})")
    for module, sql in (("FTS5", "fts5(a)"), ("R-Tree", "rtree(a,b,c)"), ("dbstat", "dbstat")):
        try:
            connection.execute(f"CREATE VIRTUAL TABLE temp.probe USING {sql}")
            connection.execute("DROP TABLE temp.probe")
        except sqlite3.OperationalError:
            lacking.append(module)
    connection.close()
    lacking += [tool for tool in ("mdb_load", "mdb_dump") if not shutil.which(tool)]
    return lacking


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", default=HERE, metavar="FOLDER")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()

    lacking = missing_modules()
    if lacking:
        # The committed files are what the tests read; only their proof needs these.
        print(f"fixtures: not checked, Python's SQLite or this system lacks {', '.join(lacking)}", file=sys.stderr)
        return 0 if arguments.check else 1

    failures, written = [], []
    os.makedirs(arguments.into, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="kura-fixtures-") as folder:
        for item in FIXTURES.values():
            fresh = os.path.join(folder, item.name)
            item.build(fresh)
            # A builder that does not make what it promises is a fault in any mode.
            fault = same(item, fresh, fresh)
            if fault:
                failures.append(f"builder: {fault}")
                continue
            committed = os.path.join(arguments.into, item.name)
            fault = same(item, committed, fresh)
            if fault and arguments.check:
                failures.append(fault)
            elif fault:
                for suffix in SIDES:
                    if os.path.exists(committed + suffix):
                        os.remove(committed + suffix)
                for suffix in ("",) + tuple(item.sides):
                    shutil.copyfile(fresh + suffix, committed + suffix)
                written.append(item.name)
    for failure in failures:
        print(f"fixtures: {failure}", file=sys.stderr)
    if not failures:
        verb = "as their builders say" if arguments.check else f"in place, {len(written)} written"
        print(f"fixtures: {len(FIXTURES)} files {verb}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
