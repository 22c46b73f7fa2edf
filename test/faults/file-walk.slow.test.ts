import { test } from 'vitest'
import { FILE_CASES } from './cases.ts'
import { walkAll } from './walk-all.ts'

const { erase: _, ...cases } = FILE_CASES

// Of `erase` it is half of the work, so that it has a file of its own.
test.each(Object.entries(cases))(
  'whichever statement of %s fails, the file is as before or after one of its transactions, and the next call works',
  (...each) => walkAll('statement', [each]),
  900_000,
)
