import { test } from 'vitest'
import { FILE_CASES } from './cases.ts'
import { walkAll } from './walk-all.ts'

test.each(Object.entries(FILE_CASES))(
  'whichever statement of %s fails, the file is as before or after one of its transactions, and the next call works',
  (...each) => walkAll('statement', [each]),
  900_000,
)
