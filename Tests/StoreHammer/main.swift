import Foundation
import Kura

// `store-hammer FORMAT PATH WORD COUNT` makes, migrates or looks at a store of so many records:
// `make`; `migrate`, which says `ready`, waits for a line, and with KURA_KILL_AT=N in the environment is
// killed before the Nth of its writes; `state`, which says `old`, `new` or what is wrong; `check`.
// `store-hammer FORMAT PATH faults KIND` migrates a store with a fault at each of its writes.
//
// `store-hammer FORMAT PATH WRITER SEED`: a process that tests start several of and kill at any moment.
//
// It says `ready`, waits for a line, opens or makes the store, says `open` and then writes
// transactions until its input ends or it is killed; now and then it reads the shared total and what
// it is the total of, which no snapshot may show apart. After each commit it says `committed NUMBER`,
// after each rollback `abandoned NUMBER`. Every transaction changes the same three things, so that
// half of one shows: its own entries, the writer's record, and a total that all writers share.

let words = CommandLine.arguments
MigratingMain.run(words)
guard words.count == 5, let writer = Int64(words[3]), let seed = UInt64(words[4]) else {
  say("usage: store-hammer FORMAT PATH WRITER SEED")
  exit(2)
}
say("ready")
guard readLine() != nil else { exit(0) }
do {
  var hammer = try Hammer(
    path: words[2], format: StoreFormat(rawValue: words[1]), writer: writer, seed: seed)
  say("open")
  let end = EndOfInput()
  while !end.hasCome { try hammer.strike() }
  try hammer.close()
} catch {
  say("error \(error)")
  exit(1)
}
