/// Programs that are known by the names of their databases.
enum KnownWriters {
  /// Each with names that its environments have; from the programs' own sources.
  private static let all: [(program: String, names: Set<String>)] = [
    ("OpenLDAP (back-mdb)", ["ad2i", "dn2i", "id2e"]),
    ("Meilisearch (index)", ["documents", "external-documents-ids"]),
    ("Meilisearch (tasks)", ["all-tasks", "canceled_by"]),
    ("Monero", ["blocks", "block_heights", "output_txs"]),
    ("PowerDNS (lmdb backend)", ["domains", "keydata", "tsig"]),
    ("Parcel", ["hex:" + "70617263656c2d636163686500"]),
    ("Samba (ldb)", ["@BASEINFO", "@INDEXLIST"]),
  ]

  /// The program, when the names are those of one.
  static func program(_ names: [String]) -> String? {
    all.first { $0.names.isSubset(of: names) }?.program
  }
}
