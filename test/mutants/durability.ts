import type { Mutant } from './mutant.ts'

const WALK = 'test/faults/fault-walk.slow.test.ts'
const SESSIONS = 'test/faults/session-faults.test.ts'

/** Breaks of durability. */
export const DURABILITY: readonly Mutant[] = [
  {
    breaks: 'what was acknowledged is on the disk',
    file: 'src/flow/mutate.ts',
    from: 'durable = true',
    to: 'durable = false',
    test: WALK,
    cases: 'remember',
  },
  {
    breaks: 'a write that fails leaves nothing behind',
    file: 'src/adapters/sqlite/transact.ts',
    from: 'life.end()\n    connection.rollback()',
    to: `life.end()\n    connection.control('COMMIT')`,
    test: WALK,
    cases: 'remember,forget',
  },
  {
    breaks: 'a transaction with a failed statement is not committed, whoever catches the failure',
    file: 'src/adapters/sqlite/transact.ts',
    from: 'if (life.failure !== undefined) throw life.failure',
    to: '',
    test: 'test/faults/store-files.test.ts',
  },
  {
    breaks: 'the index in memory holds only what was committed',
    file: 'src/flow/dream/promote.ts',
    from: 'return { promoted, sequence: {',
    to: `engine.index.apply(promoted.filter((each) => each.fate === 'promoted'))\n    return { promoted, sequence: {`,
    test: WALK,
    cases: 'dream',
  },
  {
    breaks: 'every change is in the log, in the same transaction',
    file: 'src/flow/mutate.ts',
    from: 'log: (entry) => tx.log({ ...entry, ...stamp }),',
    to: 'log: async (entry) => Object.keys({ ...entry, ...stamp }).length,',
    test: WALK,
    cases: 'remember',
  },
  {
    breaks: 'an archived block leaves its edges where restore finds them',
    file: 'src/flow/archive.ts',
    from: 'await tx.bury(leaving.map(({ id, status }) => ({ id, previousStatus: status })))',
    to: '',
    test: WALK,
    cases: 'forget',
  },
  {
    breaks: 'a block becomes active whole, with what it is found by',
    file: 'src/flow/dream/activate.ts',
    from: 'await tx.saveIndex(activated.map(({ index }) => index))',
    to: '',
    test: WALK,
    cases: 'dream',
  },
  {
    breaks: 'a write that fails takes no session from another',
    file: 'src/flow/mutate.ts',
    from: '    goBack()\n',
    to: '    engine.session.backTo(undefined)\n    goBack = () => undefined\n',
    test: SESSIONS,
  },
  {
    breaks: 'a session that could not be begun is none',
    file: 'src/open-memory.ts',
    from: '      goBack()\n',
    to: '',
    test: SESSIONS,
  },
  {
    breaks: 'no lock error reaches a caller before the wait is over',
    file: 'src/adapters/sqlite/patience.ts',
    from: 'if (!mayPass(error) || patience.now() >= deadline) throw error',
    to: 'if (!mayPass(error) || patience.now() <= deadline) throw error',
    test: 'test/faults/store-processes.test.ts',
  },
  {
    breaks: 'files are their owner’s alone',
    file: 'src/adapters/sqlite/store.ts',
    from: `openSync(location, 'a', 0o600)`,
    to: `openSync(location, 'a', 0o644)`,
    test: 'test/faults/store-files.test.ts',
  },
  {
    breaks: 'a full disk is named as such',
    file: 'src/adapters/sqlite/failure.ts',
    from: `code: 'STORE_FULL'`,
    to: `code: 'STORE_FAILED'`,
    test: 'test/faults/no-room.slow.test.ts',
  },
  {
    breaks: 'a pause ages nothing by more than its cap',
    file: 'src/domain/clock.ts',
    from: 'Math.min(Math.max(0, gap), options.gapCapMs)',
    to: 'Math.max(0, gap, options.gapCapMs)',
    test: 'test/faults/clock-jumps.test.ts',
  },
  {
    breaks: 'a damaged packed index is recognised and left alone',
    file: 'src/adapters/index-cache/file.ts',
    from: 'if (crc32(into) !== place.checksum) throw damaged(path)',
    to: '',
    test: 'test/search/packed-index.test.ts',
  },
]
