import type { Bound } from './bound.ts'
import { tryCommandLines } from './command-lines.ts'
import { tryConfigFiles } from './config-files.ts'
import { tryDocuments } from './documents.ts'
import { tryImportFiles } from './import-files.ts'
import { tryMcpFrames } from './mcp-frames.ts'
import { tryOperationInputs } from './operation-inputs.ts'

/** A boundary that somebody else's bytes come over, and what holds there. */
interface Suite {
  readonly title: string
  readonly run: (bound: Bound) => Promise<void>
}

export const SUITES: readonly Suite[] = [
  {
    title: 'whatever an operation is called with, it answers as declared or refuses and changes nothing',
    run: tryOperationInputs,
  },
  {
    title:
      'whatever a client of MCP writes and however it leaves, the server answers, lives on and loses nothing',
    run: tryMcpFrames,
  },
  {
    title: 'whatever is typed, the command line answers or says what to do, and writes nowhere else',
    run: tryCommandLines,
  },
  {
    title: 'whatever a config file or variable says, it is a setting within its range or a refusal',
    run: tryConfigFiles,
  },
  {
    title: 'whatever became of an export, it is taken in as it stands or refused by its line',
    run: tryImportFiles,
  },
  {
    title: 'whatever a document holds, its words arrive in order as blocks of ordinary standing',
    run: tryDocuments,
  },
]
