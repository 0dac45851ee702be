extension BoundQuery {
  /// The models whose records decide what the query gives.
  var models: Set<String> {
    var models: Set<String> = [layout.name]
    condition.addModels(to: &models)
    for column in derived { column.addModels(to: &models) }
    return models
  }
}

extension DerivedColumn {
  fileprivate func addModels(to models: inout Set<String>) {
    for step in steps { models.insert(step.target.name) }
    switch content {
    case .column: break
    case .list(let number):
      models.formUnion([number.keeper.name, number.target.name])
      number.condition.addModels(to: &models)
      for column in number.derived { column.addModels(to: &models) }
    case .membership(_, let subquery): subquery.addModels(to: &models)
    }
  }
}

extension BoundSubquery {
  fileprivate func addModels(to models: inout Set<String>) {
    models.insert(layout.name)
    condition.addModels(to: &models)
    for column in derived { column.addModels(to: &models) }
  }
}

extension BoundCondition {
  fileprivate func addModels(to models: inout Set<String>) {
    switch self {
    case .among(_, let subquery): subquery.addModels(to: &models)
    case .all(let parts), .any(let parts): for part in parts { part.addModels(to: &models) }
    case .not(let part): part.addModels(to: &models)
    default: break
    }
  }
}
