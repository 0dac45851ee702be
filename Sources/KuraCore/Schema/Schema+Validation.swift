extension Schema {
  func validate() throws(StoreError) {}
}
