import Kura
import PlainC

/// The records of all workloads as a type.
@Model("person") struct Person {
  @PrimaryKey var id: Int64
  var name: String
  var age: Int64
  var weight: Double
  var owner: Int64?

  /// The record of a number, as `plain_name` and its kind say it.
  init(number: Int64) {
    id = number
    name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 17) { bytes in
      plain_name(number, bytes.baseAddress)
      return String(decoding: UnsafeRawBufferPointer(bytes), as: UTF8.self)
    }
    age = plain_age(number)
    weight = plain_weight(number)
    let owner = plain_owner(number)
    self.owner = owner == 0 ? nil : owner
  }

  var sum: Int64 {
    id + age + name.sum + Int64(weight) + (owner ?? 0)
  }
}

/// The same with an index.
@Model("person") struct IndexedPerson {
  @PrimaryKey var id: Int64
  var name: String
  @Indexed var age: Int64
  var weight: Double
  var owner: Int64?

  init(_ person: Person) {
    (id, name, age) = (person.id, person.name, person.age)
    (weight, owner) = (person.weight, person.owner)
  }

  var sum: Int64 {
    id + age + name.sum + Int64(weight) + (owner ?? 0)
  }
}

/// Ten integers.
@Model("numbers") struct Numbers {
  @PrimaryKey var id: Int64
  var n1: Int64
  var n2: Int64
  var n3: Int64
  var n4: Int64
  var n5: Int64
  var n6: Int64
  var n7: Int64
  var n8: Int64
  var n9: Int64

  init(number: Int64) {
    id = number
    (n1, n2, n3) = (plain_age(number), plain_owner(number), -number)
    (n4, n5, n6) = (number << 20, plain_age(number + 1), plain_owner(number + 1))
    (n7, n8, n9) = (number << 26, 0, 1)
  }

  var sum: Int64 { id + n1 + n2 + n3 + n4 + n5 + n6 + n7 + n8 + n9 }
}

extension String {
  /// Its length and its last byte.
  fileprivate var sum: Int64 {
    let bytes = utf8.span
    return Int64(bytes.count) + (bytes.isEmpty ? 0 : Int64(bytes[bytes.count - 1]))
  }
}

protocol Summable { var sum: Int64 { get } }
extension Person: Summable {}
extension IndexedPerson: Summable {}
extension Numbers: Summable {}

/// The sum of what is in records, which are looked at where they are.
func sum<Record: Summable>(_ records: [Record]) -> Int64 {
  var total: Int64 = 0
  for index in records.indices { total += records[index].sum }
  return total
}
