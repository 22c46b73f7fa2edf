import { test } from 'vitest'
import { FILE_CASES } from './cases.ts'
import { walkAll } from './walk-all.ts'

test(
  'whichever statement of erase fails, the file is as before or after one of its transactions, and the next call works',
  () => walkAll('statement', [['erase', FILE_CASES.erase]]),
  900_000,
)
