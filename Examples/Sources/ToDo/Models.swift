import Kura

/// Something to do.
@Model struct Item {
  @PrimaryKey var id = ObjectID()
  var title: String
  var isDone = false
}

/// Tasks that belong together, in an order that the user chose.
@Model struct Category {
  @PrimaryKey var name: String
  /// Deleting the category deletes its tasks.
  @Relation(onDelete: .cascade) var tasks: ReferenceList<Item> = []
}
