/// The applications and frameworks that are known by what they leave in a file.
enum KnownApplications {
  /// The names of registered application identifiers.
  ///
  /// Source: magic.txt of SQLite's source tree and the formats' own documents.
  static func name(ofApplicationID id: Int64) -> String? {
    switch UInt32(truncatingIfNeeded: id) {
    case 0x4B55_5241: "Kura"
    case 0x0F05_5111: "Fossil repository"
    case 0x0F05_5112: "Fossil checkout"
    case 0x0F05_5113: "Fossil configuration"
    case 0x4265_4462: "Bentley iModel"
    case 0x4265_4C6E: "Bentley localization"
    case 0x4750_4B47: "GeoPackage"
    case 0x4750_3130: "GeoPackage 1.0"
    case 0x4750_3131: "GeoPackage 1.1"
    case 0x4573_7269: "Esri spatially enabled database"
    case 0x4D50_4258: "MBTiles"
    case 0x5F4D_544E: "Monotone repository"
    case 0x6A03_5744: "TeXnicard deck"
    default: nil
    }
  }

  /// A maker and the tables that all of its files have.
  private struct Sign {
    var name: String
    var tables: [String]
  }

  /// The makers whose tables are all there, with the tables that tell.
  static func makers(of tables: Set<String>) -> [String] {
    var found: [String] = []
    for sign in signs where sign.tables.allSatisfy(tables.contains) {
      found.append("\(sign.name) (\(sign.tables[0]))")
    }
    return found
  }

  private static var signs: [Sign] {
    [
      Sign(name: "Kura", tables: ["kura_meta", "kura_schema"]),
      Sign(name: "GRDB", tables: ["grdb_migrations"]),
      Sign(name: "Room", tables: ["room_master_table"]),
      Sign(name: "Core Data or SwiftData", tables: ["Z_METADATA", "Z_PRIMARYKEY"]),
      Sign(name: "Android", tables: ["android_metadata"]),
      Sign(name: "Django", tables: ["django_migrations"]),
      Sign(name: "Rails", tables: ["schema_migrations"]),
      Sign(name: "Alembic (SQLAlchemy)", tables: ["alembic_version"]),
      Sign(name: "Prisma", tables: ["_prisma_migrations"]),
      Sign(name: "Flyway", tables: ["flyway_schema_history"]),
      Sign(name: "Liquibase", tables: ["DATABASECHANGELOG"]),
      Sign(name: "sqlx", tables: ["_sqlx_migrations"]),
      Sign(name: "Entity Framework", tables: ["__EFMigrationsHistory"]),
      Sign(name: "Knex", tables: ["knex_migrations"]),
      Sign(name: "Diesel", tables: ["__diesel_schema_migrations"]),
      Sign(name: "Refinery", tables: ["refinery_schema_history"]),
      Sign(name: "Drizzle", tables: ["__drizzle_migrations"]),
      Sign(name: "Sequelize", tables: ["SequelizeMeta"]),
      Sign(name: "TypeORM", tables: ["typeorm_metadata"]),
      Sign(name: "goose", tables: ["goose_db_version"]),
      Sign(name: "Peewee", tables: ["migratehistory"]),
      Sign(name: "Fluent (Vapor)", tables: ["_fluent_migrations"]),
      Sign(name: "Fossil", tables: ["rcvfrom", "delta", "blob"]),
      Sign(name: "GeoPackage", tables: ["gpkg_contents"]),
      Sign(name: "SpatiaLite", tables: ["geometry_columns", "spatial_ref_sys"]),
      Sign(name: "MBTiles", tables: ["tiles", "metadata"]),
      Sign(name: "MapLibre offline regions", tables: ["region_tiles", "region_resources"]),
      Sign(name: "Grist", tables: ["_grist_DocInfo"]),
      Sign(name: "PocketBase", tables: ["_collections", "_params"]),
      Sign(name: "PocketBase logs", tables: ["_logs", "_migrations"]),
      Sign(name: "Kodi videos", tables: ["movie", "tvshow", "version"]),
      Sign(name: "cr-sqlite", tables: ["crsql_master"]),
      Sign(name: "Optuna", tables: ["version_info", "studies", "trials"]),
      Sign(name: "Firefox places", tables: ["moz_places"]),
      Sign(name: "Firefox downloads", tables: ["moz_downloads"]),
      Sign(name: "Anki", tables: ["revlog", "cards", "notes", "col"]),
      Sign(name: "Litestream", tables: ["_litestream_seq"]),
      Sign(name: "Visual Studio index", tables: ["FileSystemEntity", "FileSystemData"]),
    ]
  }
}
