/// The steps of folding a text, on its scalars; ``TextFolder`` remembers what single scalars become.
///
/// The result is in normalization form C, so that `が` does not contain `か` and `?` of LIKE is one
/// letter. Values from ``malformed`` on stand for bytes that are no UTF-8 and stay as they are.
struct ScalarFolding {
  static let malformed: UInt32 = 0x11_0000

  let comparison: TextComparison
  private var scalars: [UInt32] = []
  private var next: [UInt32] = []

  init(_ comparison: TextComparison) { self.comparison = comparison }

  /// Folds scalars; the result is valid until the next call.
  mutating func fold(_ text: [UInt32]) -> [UInt32] {
    scalars.removeAll(keepingCapacity: true)
    let foldsWidth = comparison.contains(.widthInsensitive)
    for scalar in text {
      CanonicalMappings.decompose(foldsWidth ? scalar.withoutWidth : scalar, into: &scalars)
    }
    order()
    if comparison.contains(.caseInsensitive) { foldCase() }
    if comparison.contains(.diacriticInsensitive) { dropMarks() }
    if comparison.contains(.kanaInsensitive) { map(\.hiragana) }
    if comparison.contains(.smallKanaInsensitive) { map(\.ordinaryKana) }
    compose()
    return scalars
  }

  private mutating func map(_ mapping: (UInt32) -> UInt32) {
    for index in scalars.indices { scalars[index] = mapping(scalars[index]) }
  }

  /// Puts the marks of each letter into canonical order.
  private mutating func order() {
    var start = 0
    while start < scalars.count {
      guard CanonicalMappings.combiningClass(scalars[start]) != 0 else {
        start += 1
        continue
      }
      var end = start + 1
      while end < scalars.count, CanonicalMappings.combiningClass(scalars[end]) != 0 { end += 1 }
      if end - start > 1 {
        // Sorting is stable only with the place; a text may be nothing but marks.
        let sorted = scalars[start..<end].enumerated().map { place, scalar in
          (UInt64(CanonicalMappings.combiningClass(scalar)) << 32 | UInt64(place), scalar)
        }.sorted { $0.0 < $1.0 }
        for (place, mark) in sorted.enumerated() { scalars[start + place] = mark.1 }
      }
      start = end
    }
  }

  /// Unicode's full case folding, of which the standard library has the mappings but not the folding:
  /// it differs from lower case of upper case of lower case in U+0131 only, which is Turkish.
  private mutating func foldCase() {
    next.removeAll(keepingCapacity: true)
    for scalar in scalars { scalar.foldCase(into: &next) }
    scalars.removeAll(keepingCapacity: true)
    for scalar in next { CanonicalMappings.decompose(scalar, into: &scalars) }
    order()
  }

  /// Leaves out the marks after Latin, Greek and Cyrillic letters.
  ///
  /// As in Foundation. The marks of other scripts make other letters: `が` is not `か`, and Indic
  /// and Thai vowels are marks.
  private mutating func dropMarks() {
    next.removeAll(keepingCapacity: true)
    var dropsMarks = false
    for scalar in scalars {
      if scalar.isNonspacingMark {
        if dropsMarks { continue }
      } else {
        dropsMarks = scalar.hasOrnamentalMarks
      }
      next.append(scalar)
    }
    swap(&scalars, &next)
  }

  /// Puts letters and their marks together (normalization form C).
  private mutating func compose() {
    next.removeAll(keepingCapacity: true)
    var starter: Int?
    var lastClass: UInt8 = 0
    for scalar in scalars {
      let own = CanonicalMappings.combiningClass(scalar)
      if let place = starter {
        // Nothing between the letter and the mark may have the mark's class or a higher one.
        let isBlocked = next.count - 1 > place && (lastClass == 0 || lastClass >= own)
        if !isBlocked, let composed = CanonicalMappings.composition(next[place], scalar) {
          next[place] = composed
          continue
        }
      }
      if own == 0 { starter = next.count }
      lastClass = own
      next.append(scalar)
    }
    swap(&scalars, &next)
  }
}

extension UInt32 {
  /// Adds the full case folding of a scalar.
  fileprivate func foldCase(into result: inout [UInt32]) {
    if self < 0x80 {
      return result.append((0x41...0x5A).contains(self) ? self + 0x20 : self)
    }
    guard self != 0x131, mayHaveCase, let scalar = Unicode.Scalar(self) else {
      return result.append(self)
    }
    for lower in scalar.properties.lowercaseMapping.unicodeScalars {
      for upper in lower.properties.uppercaseMapping.unicodeScalars {
        for folded in upper.properties.lowercaseMapping.unicodeScalars {
          result.append(folded.value)
        }
      }
    }
  }

  /// False for the large blocks of scripts without case.
  private var mayHaveCase: Bool {
    !(0x2E80...0xA63F).contains(self) && !(0xAC00...0xFAFF).contains(self)
      && !(0x2_0000...0x10_FFFF).contains(self)
  }

  /// The scalar of ordinary width.
  fileprivate var withoutWidth: UInt32 {
    switch self {
    case 0x3000: 0x20
    case 0xFF01...0xFF5E: self - 0xFEE0
    case 0xFF61...0xFF9F: UInt32.kanaOfHalfWidth[Int(self - 0xFF61)]
    case 0xFFA0: 0x3164
    case 0xFFA1...0xFFBE: self - 0xFFA1 + 0x3131
    case 0xFFC2...0xFFC7: self - 0xFFC2 + 0x314F
    case 0xFFCA...0xFFCF: self - 0xFFCA + 0x3155
    case 0xFFD2...0xFFD7: self - 0xFFD2 + 0x315B
    case 0xFFDA...0xFFDC: self - 0xFFDA + 0x3161
    case 0xFF5F: 0x2985
    case 0xFF60: 0x2986
    case 0xFFE0...0xFFE1: self - 0xFFE0 + 0xA2
    case 0xFFE2: 0xAC
    case 0xFFE3: 0xAF
    case 0xFFE4: 0xA6
    case 0xFFE5: 0xA5
    case 0xFFE6: 0x20A9
    case 0xFFE8: 0x2502
    case 0xFFE9...0xFFEC: self - 0xFFE9 + 0x2190
    case 0xFFED: 0x25A0
    case 0xFFEE: 0x25CB
    default: self
    }
  }

  /// U+FF61 to U+FF9F; the sound marks become the combining ones.
  private static let kanaOfHalfWidth: [UInt32] =
    "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン"
    .unicodeScalars.map(\.value) + [0x3099, 0x309A]

  /// Katakana as hiragana, where there is one.
  fileprivate var hiragana: UInt32 {
    switch self {
    case 0x30A1...0x30F6, 0x30FD: self - 0x60
    default: self
    }
  }

  /// Small kana as ordinary ones.
  fileprivate var ordinaryKana: UInt32 {
    switch self {
    case 0x3041, 0x3043, 0x3045, 0x3047, 0x3049, 0x3063, 0x3083, 0x3085, 0x3087, 0x308E,
      0x30A1, 0x30A3, 0x30A5, 0x30A7, 0x30A9, 0x30C3, 0x30E3, 0x30E5, 0x30E7, 0x30EE:
      self + 1
    case 0x3095: 0x304B
    case 0x3096: 0x3051
    case 0x30F5: 0x30AB
    case 0x30F6: 0x30B1
    case 0x31F0...0x31FF: UInt32.ordinaryExtensions[Int(self - 0x31F0)]
    default: self
    }
  }

  /// U+31F0 to U+31FF, small katakana of Ainu.
  private static let ordinaryExtensions: [UInt32] =
    "クシストヌハヒフヘホムラリルレロ".unicodeScalars.map(\.value)

  fileprivate var isNonspacingMark: Bool {
    guard self >= 0x300, let scalar = Unicode.Scalar(self) else { return false }
    return scalar.properties.generalCategory == .nonspacingMark
  }

  /// Whether marks after the scalar are accents: Latin, Greek and Cyrillic, and what all share.
  fileprivate var hasOrnamentalMarks: Bool {
    switch self {
    case 0..<0x530, 0x1D00...0x1DBF, 0x1E00...0x1FFF, 0x2C60...0x2C7F, 0xA640...0xA69F,
      0xA720...0xA7FF, 0xAB30...0xAB6F:
      true
    default: false
    }
  }
}
