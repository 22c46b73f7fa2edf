import * as z from 'zod'
import type { SettingInForce } from '../adapters/project/settings/settings-in-force.ts'
import { count, defined } from '../block/text.ts'
import { readPlace } from '../care/files-of.ts'
import { defineOperation, forPrograms } from '../operations/operation.ts'
import * as schemas from '../operations/schemas.ts'

/** A file, and the rule that chose it. */
interface Chosen {
  readonly path: string
  readonly rule: string
}

/** Facts of an open memory that its engine does not know; the code that opened it passes them. */
export interface ViewFacts {
  /** Returns every setting with its value and what set it. */
  readonly settings: () => readonly SettingInForce[]
  readonly database: Chosen
  /** The files of settings, in the order in which they count. */
  readonly configs: readonly Chosen[]
  /** The version of this package. */
  readonly version: string
  /** True if the dashboard may change nothing. */
  readonly readOnly: boolean
}

const chosen = z.object({ path: z.string(), rule: z.string() })
const backup = z.object({ name: z.string(), at: z.string().optional(), by: z.enum(['owner', 'agent']) })
const scope = z.object({ scope: z.string(), active: z.int(), inbox: z.int(), archived: z.int() })

/** The name of a backup: its time, with dashes where a time has colons and a dot. */
const NAMED = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)-\d{3}(-agent)?\./

/** The record of the view of where the memory lies, and what lies beside it. */
const createPlaceView = ({
  database,
  configs,
  version,
  readOnly,
}: Pick<ViewFacts, 'database' | 'configs' | 'version' | 'readOnly'>) =>
  defineOperation({
    name: 'place',
    summary: 'Show where the memory lies, its backups, its scopes, and which files set it up.',
    ...forPrograms('const { backups } = await memory.settings()'),
    needs: 'reader',
    effect: 'read',
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

/** The record of the view of all settings. */
const createSettingsView = ({ settings }: Pick<ViewFacts, 'settings'>) =>
  defineOperation({
    name: 'settings',
    summary: 'Show every setting with its value, its default, its range, and what set it.',
    ...forPrograms('const { settings } = await memory.settings()'),
    needs: 'reader',
    effect: 'read',
    cost: 'instant',
    idempotent: true,
    input: z.object({}),
    output: z.object({ settings: z.array(z.custom<SettingInForce>()).readonly(), summary: schemas.summary }),
    run: async () => {
      const all = settings()
      const set = all.filter(({ isDefault }) => !isDefault)
      return { settings: all, summary: `${count(all.length, 'setting')}, ${set.length} of them set.` }
    },
  })

/**
 * The records of what a screen needs and no operation gives. `invoke` runs them as operations; no command, no tool and no method is
 * made of them.
 */
export const createViews = (facts: ViewFacts) =>
  ({ settings: createSettingsView(facts), place: createPlaceView(facts) }) as const
