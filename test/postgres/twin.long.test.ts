import { test } from 'vitest'
import { describeServed } from './describe.ts'
import { checkTwins } from './twin.ts'

describeServed('PostgreSQL', (served) => {
  test('500 random histories have the answers and the rows of SQLite', () => checkTwins(served(), 500))
})
