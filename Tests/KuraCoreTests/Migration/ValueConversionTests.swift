import Foundation
import Testing

@testable import KuraCore

@Suite("Conversions of values")
struct ValueConversionTests {
  private static func decimal(_ text: String) -> StoredValue {
    Decimal(plainText: text).map { .decimal($0) } ?? .null
  }

  @Test(
    arguments: [
      ("12", .integer, .integer(12)), ("012", .integer, nil), (" 12", .integer, nil),
      ("1.5", .double, .double(1.5)), ("3", .double, .double(3)), ("1.50", .double, nil),
      ("0.1", .decimal, decimal("0.1")), ("true", .bool, .bool(true)), ("yes", .bool, nil),
      ("00ff", .data, .data([0, 255])), ("x", .integer, nil), ("", .integer, nil),
      (
        "507f1f77bcf86cd799439011", .objectID,
        ObjectID("507f1f77bcf86cd799439011").map { .objectID($0) }
      ),
      (7, .text, "7"), (7, .double, 7.0), (.integer((1 << 53) + 1), .double, nil),
      (7, .decimal, decimal("7")), (1, .bool, .bool(true)), (2, .bool, nil),
      (2.0, .integer, 2), (2.5, .integer, nil), (1e300, .integer, nil),
      (2.5, .text, "2.5"), (.bool(false), .text, "false"), (.bool(true), .integer, 1),
      (.data([1, 2]), .text, "0102"), (.null, .integer, .null),
    ] as [(StoredValue, ValueType, StoredValue?)])
  func `exactly only what says the same`(
    value: StoredValue, type: ValueType, expected: StoredValue?
  ) {
    #expect(value.converted(to: type, .exact) == expected)
  }

  @Test(
    arguments: [
      (2.5, 2), (3.5, 4), (-2.5, -2), (2.4, 2), (-2.6, -3), (1e300, nil),
    ] as [(StoredValue, StoredValue?)])
  func `rounded to the nearest, halves to the even`(value: StoredValue, expected: StoredValue?) {
    #expect(value.converted(to: .integer, .rounded) == expected)
  }

  @Test(
    arguments: [
      ("2.5", 2), ("3.5", 4), ("-2.5", -2), ("-3.5", -4), ("2.51", 3), ("-0.6", -1), ("0.4", 0),
    ] as [(String, StoredValue)])
  func `decimals round alike`(text: String, expected: StoredValue) {
    #expect(Self.decimal(text).converted(to: .integer, .rounded) == expected)
  }

  @Test func `truncated towards zero`() {
    #expect(StoredValue.double(-2.9).converted(to: .integer, .truncated) == -2)
    #expect(Self.decimal("-2.9").converted(to: .integer, .truncated) == -2)
    #expect(StoredValue.text("2.9").converted(to: .integer, .truncated) == 2)
  }

  @Test(
    arguments: [
      (" 012 ", .integer, 12), ("Yes", .bool, .bool(true)), ("0", .bool, .bool(false)),
      ("1.50", .double, 1.5), ("maybe", .bool, nil), ("12a", .integer, nil),
    ] as [(StoredValue, ValueType, StoredValue?)])
  func `leniently as people write`(value: StoredValue, type: ValueType, expected: StoredValue?) {
    #expect(value.converted(to: type, .lenient) == expected)
  }

  @Test func `identifiers are their bytes`() throws {
    let uuid = try #require(UUID(uuidString: "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"))
    let bytes: [UInt8] = [
      0xf8, 0x1d, 0x4f, 0xae, 0x7d, 0xec, 0x11, 0xd0, 0xa7, 0x65, 0x00, 0xa0, 0xc9, 0x1e, 0x6b,
      0xf6,
    ]
    #expect(StoredValue.uuid(uuid).converted(to: .data, .exact) == .data(bytes))
    #expect(StoredValue.data(bytes).converted(to: .uuid, .exact) == .uuid(uuid))
    #expect(StoredValue.data([1]).converted(to: .uuid, .exact) == nil)
  }
}
