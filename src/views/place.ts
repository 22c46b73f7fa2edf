import * as z from 'zod'
import { count, defined } from '../block/text.ts'
import { readPlace } from '../care/files-of.ts'
import { defineOperation } from '../operations/operation.ts'
import * as schemas from '../operations/schemas.ts'
import type { ViewFacts } from './facts.ts'

const chosen = z.object({ path: z.string(), rule: z.string().describe('The rule that chose it') })
const backup = z.object({
  name: z.string(),
  at: z.string().optional().describe('When it was made, ISO-8601 UTC; absent of a name that does not say'),
  by: z.enum(['owner', 'agent']).describe('Who had it made'),
})
const scope = z.object({
  scope: z.string(),
  active: z.int(),
  inbox: z.int(),
  archived: z.int(),
})

/** The name of a backup: its time, with dashes where a time has colons and a dot. */
const NAMED = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)-\d{3}(-agent)?\./

/** The record of the view of where the memory lies, and what lies beside it. */
export const createPlaceView = ({
  database,
  configs,
  version,
  readOnly,
}: Pick<ViewFacts, 'database' | 'configs' | 'version' | 'readOnly'>) =>
  defineOperation({
    name: 'place',
    summary: 'Show where the memory lies, its backups, its scopes, and which files set it up.',
    guide: {
      when: 'Somebody asks which memory this is, or looks for a backup.',
      whenNot: 'To see how the memory is: status().',
      next: 'backup() makes a copy.',
      example: 'const { backups } = await memory.settings()',
    },
    tools: 'all',
    needs: 'reader',
    effect: 'read',
    isLibraryOnly: true,
    cost: 'instant',
    idempotent: true,
    input: z.object({}),
    output: z.object({
      file: z.string(),
      rule: z.string().describe('The rule that chose the file'),
      bytes: z.int().optional().describe('Of the file; absent where there is none, or within one scope'),
      backupFolder: z.string().optional(),
      backups: z.array(backup).readonly().describe('Newest first'),
      configs: z.array(chosen).readonly().describe('Files of settings; the first counts before the others'),
      scope: z.string().optional().describe('The scope that is served; absent: the whole memory'),
      scopes: z.array(scope).readonly().describe('At most 50, those with most blocks first'),
      version: z.string().describe('Of this package'),
      readOnly: z.boolean(),
      summary: schemas.summary,
    }),
    run: async (engine) => {
      const { bytes, backupFolder, backups, scopes } = await readPlace(engine)
      const held = backups.length === 0 ? 'It has no backup.' : `It has ${count(backups.length, 'backup')}.`
      return {
        ...{ file: engine.store.location, rule: database.rule, configs, version, readOnly },
        backups: backups.map(backupOf),
        scopes: scopes.map(({ scope, active, inbox, archived }) => ({ scope, active, inbox, archived })),
        ...defined({ bytes, backupFolder, scope: engine.scope }),
        summary: `The memory is ${engine.store.location}. ${held}`,
      }
    },
  })

function backupOf(name: string): z.output<typeof backup> {
  const [, hour, minute, second, rest, agent] = NAMED.exec(name) ?? []
  const at = hour === undefined ? undefined : `${hour}:${minute}:${second}.${rest}`
  return { name, by: agent === undefined ? 'owner' : 'agent', ...defined({ at }) }
}
