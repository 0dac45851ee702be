/// A branch in memory, kept for the paths that go through it.
@safe
final class BranchPage {
  let number: UInt64
  let layout: PageLayout
  private let memory: UnsafeMutableRawPointer

  init(_ number: UInt64, _ layout: PageLayout, _ memory: UnsafeMutableRawPointer) {
    self.number = number
    self.layout = layout
    unsafe self.memory = unsafe memory
  }

  deinit { unsafe memory.deallocate() }
}
