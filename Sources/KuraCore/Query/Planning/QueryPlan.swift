/// How a query is executed over a ``RecordSource``: walks, what they filter, and what follows.
package struct QueryPlan: Sendable {
  /// One walk.
  package struct Step: Sendable {
    /// The walk; its range is the first of ``ranges``.
    package var path: AccessPath
    /// The ranges to walk, ascending and apart from each other; never empty.
    package var ranges: [KeyRange]
    /// What records must still fulfil.
    package var filter: BoundCondition
    /// The part of ``filter`` that is not there to leave out what earlier walks found.
    package var ownFilter: BoundCondition
    /// The parts of the condition that the ranges stand for.
    package var served: [BoundCondition]
    /// About how many records are walked.
    package var estimatedCount: Double
  }

  /// How DISTINCT finds the first record of each combination.
  package enum Distinct: Sendable, Hashable {
    /// There is nothing to do.
    case none
    /// Equal combinations come one after the other, the first in key order first.
    case adjacent([Int])
    /// By sorting; when the records come in key order, those already seen are left out before.
    case sorted([Int], inKeyOrder: Bool)
  }

  /// How records get into the query's order.
  package enum Order: Sendable, Hashable {
    /// They come in order, or any order is right.
    case served
    /// They come in the order of the first terms; the others are sorted within equal ones.
    case grouped(Int)
    /// All are sorted.
    case sorted
  }

  /// The query.
  package var query: BoundQuery
  /// The walks, one after the other; none when no record can fulfil the condition.
  package var steps: [Step]
  /// What DISTINCT does.
  package var distinct: Distinct
  /// How records get into order.
  package var order: Order
  /// The terms that decide the order: without those that are equal in all records, and without what
  /// comes after the whole key.
  package var terms: [BoundSortTerm]
  /// The columns that the result has.
  package var columns: [Int]
  /// The names of the source's indexes, for people.
  package var indexNames: [String]
  /// The whole condition, simplified.
  package var condition: BoundCondition
  /// About what the execution costs; 1 is a record of a walk through all.
  package var estimatedCost: Double
}
