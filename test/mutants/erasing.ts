import type { Mutant } from './mutant.ts'

const guarantee = 'Erased is erased'

/** What would leave words behind, or a memory that cannot be finished. */
export const ERASING: readonly Mutant[] = [
  {
    guarantee,
    breaks: 'no free page of a file keeps what was deleted',
    file: 'src/sqlite/erase/database-copies.ts',
    from: `connection.script('VACUUM')`,
    to: `connection.script('SELECT 1')`,
    test: 'test/attacks/erase.test.ts',
  },
  {
    guarantee,
    breaks: 'the log loses the words of erased blocks',
    file: 'src/sqlite/erase/erase-rows.ts',
    from: `  clean(connection, erased, 'operations')\n`,
    to: '',
    test: 'test/attacks/erase.test.ts',
  },
  {
    guarantee,
    breaks: 'an item that holds the words goes with them',
    file: 'src/sqlite/erase/erase-rows.ts',
    from: '    if (goesWithWords) clean(connection, erased, table)\n',
    to: '',
    test: 'test/items/kept.test.ts',
  },
  {
    guarantee,
    breaks: 'an item that has a word in common stays',
    file: 'src/sqlite/erase/standing.ts',
    from: '          if (!isLong(form)) forms.add(form)',
    to: '',
    test: 'test/items/kept.test.ts',
  },
  {
    guarantee,
    breaks: 'other processes drop their index',
    file: 'src/sqlite/erase/erase-rows.ts',
    from: 'connection.run(NEW_GENERATION)',
    to: 'connection.run(DELETE_MARKS)',
    test: 'test/attacks/erase-processes.slow.test.ts',
  },
  {
    guarantee,
    breaks: 'a killed erasing is known of',
    file: 'src/sqlite/erase/erase-rows.ts',
    from: 'connection.run(NOTE, note)',
    to: 'connection.run(DELETE_MARKS)',
    test: 'test/faults/erase-kill.slow.test.ts',
  },
  {
    guarantee,
    breaks: 'what a damaged copy held is said until it is gone',
    file: 'src/sqlite/erase/erase-file.ts',
    from: 'const remembered = left?.before ?? []',
    to: 'const remembered: readonly FoundInFile[] = []',
    test: 'test/attacks/erase-copies.test.ts',
  },
  {
    guarantee,
    breaks: 'a copy in which nothing can be found is no clean one',
    file: 'src/sqlite/erase/scan.ts',
    from: `if (header.encoding !== 'utf-8')`,
    to: `if (header.encoding !== 'utf-8' && path === '')`,
    test: 'test/attacks/erase-unseen.test.ts',
  },
  {
    guarantee,
    breaks: 'an export in another encoding does not pass as clean',
    file: 'src/sqlite/erase/scan.ts',
    from: 'if (!isText || piece.includes(0))',
    to: 'if (!isText)',
    test: 'test/attacks/erase-unseen.test.ts',
  },
  {
    guarantee,
    breaks: 'looking through a database takes no lock of this process away',
    file: 'src/sqlite/erase/scan.ts',
    from: 'if (unclosed !== undefined && mayBeDatabase(file)) unclosed.push(file)',
    to: 'if (unclosed === undefined || file > 0) process.getBuiltinModule("node:fs").closeSync(file)',
    test: 'test/attacks/erase-processes.slow.test.ts',
  },
]
