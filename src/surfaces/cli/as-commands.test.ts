import { expect, test } from 'vitest'
import { asCommands } from './as-commands.ts'

test.each([
  ['Call undo({ operationId: 6 }) first.', 'Call elfmem undo 6 first.'],
  ['Describe both to connectByQuery.', 'Describe both to elfmem connect-by-query.'],
  ["guide({ method: 'rememberMany' }) shows a call.", 'elfmem remember-many --help shows a call.'],
  ['show({ blockId }) lists them.', 'elfmem show <block-id> lists them.'],
  ['doctor({ resolve: true }) ends them', 'elfmem doctor --resolve ends them'],
  [
    'history({ limit: 50 }), outcome({ helped })',
    'elfmem history --limit 50, elfmem outcome --helped <helped>',
  ],
  ["ifExists: 'update' changes it.", '--if-exists update changes it.'],
  ['Pass helped, or pass keepFrame: true.', 'Pass helped, or pass --keep-frame.'],
  ['memory.keepOperations, camelCase', 'memory.keepOperations, camelCase'],
  ['somebody({ else: 1 }) and object({ kind })', 'somebody({ else: 1 }) and object({ kind })'],
])('asCommands writes a call of the library as a command: %s', (said, told) => {
  expect(asCommands(said)).toBe(told)
})
