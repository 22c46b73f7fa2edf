import { expect, test } from 'vitest'
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'

test('serve with an unknown tool is refused', async () => {
  const { code } = await elfmem(['serve', '--tools', 'recall,nothing'], { home: temporaryDirectory() })
  expect(code).toBe(2)
})
