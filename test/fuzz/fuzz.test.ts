import { test } from 'vitest'
import { tryImportFiles } from './import-files.ts'
import { tryOperationInputs } from './operation-inputs.ts'

test(
  'any operation called with any input answers by its schema, or refuses and changes nothing',
  tryOperationInputs,
)
test('import of any changed export takes all of it in, or refuses and changes nothing', tryImportFiles)
