extension ChangeRecorder {
  /// Notes what a change of the schema does to the records that were there.
  ///
  /// A new model has none, and indexes and lists' descriptions change none.
  package func note(_ change: SchemaChange) {
    switch change {
    case .createModel, .createReplacement, .setList, .addIndex, .removeIndex: break
    case .dropModel(let name), .replaceModel(let name, _, _), .addProperty(let name, _),
      .removeProperty(let name, _), .renameProperty(let name, _, _), .changeProperty(let name, _):
      log(of: name)?.noteEverything()
    case .renameModel(let old, let new):
      log(of: old)?.noteEverything()
      log(of: new)?.noteEverything()
    }
  }
}
