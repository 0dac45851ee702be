extension ModelDescription {
  /// The model with defaults as the properties store them, so that one meaning has one form: an
  /// integer default of a double is a double, and a default of null is none.
  ///
  /// A default that does not fit stays as it is; validation refuses it.
  var normalised: ModelDescription {
    var copy = self
    for index in copy.properties.indices {
      let property = copy.properties[index]
      guard let value = property.defaultValue else { continue }
      if value.isNull, property.isOptional {
        copy.properties[index].defaultValue = nil
      } else if let stored = try? value.coerced(to: property.type, isOptional: false) {
        copy.properties[index].defaultValue = stored
      }
    }
    return copy
  }
}
