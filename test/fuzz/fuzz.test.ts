import { test } from 'vitest'
import { tryConfigFiles } from './config-files.ts'
import { tryImportFiles } from './import-files.ts'
import { tryMcpFrames } from './mcp-frames.ts'
import { tryOperationInputs } from './operation-inputs.ts'

test(
  'any operation called with any input answers by its schema, or refuses and changes nothing',
  tryOperationInputs,
)
test('import of any changed export takes all of it in, or refuses and changes nothing', tryImportFiles)
test('any config file and environment give valid settings or CONFIG_INVALID', tryConfigFiles)
test('an MCP server answers every request once and outlives any other bytes', tryMcpFrames)
