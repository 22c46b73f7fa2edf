import * as z from 'zod'
import { count } from '../block/text.ts'
import { defineOperation } from '../operations/operation.ts'
import * as schemas from '../operations/schemas.ts'
import type { ViewFacts } from './facts.ts'

const setting = z.object({
  name: z.string().describe('As files spell it, such as memory.inbox_threshold'),
  value: z.unknown().optional().describe('Absent if it has none'),
  default: z.unknown().optional(),
  isDefault: z.boolean(),
  source: z.string().optional().describe('A variable, or a file by its path; absent of a default'),
  unit: z.string(),
  range: z.string().describe('Limits or choices in words; empty without any'),
  reason: z.string().describe('Why the default is what it is'),
  variable: z.string().describe('The environment variable that sets it'),
  project: z.boolean().optional().describe("True if a project's file may set it"),
})

/** The record of the view of all settings. */
export const createSettingsView = ({ settings }: Pick<ViewFacts, 'settings'>) =>
  defineOperation({
    name: 'settings',
    summary: 'Show every setting with its value, its default, its range, and what set it.',
    guide: {
      when: 'Somebody asks why the memory behaves as it does.',
      whenNot: 'To change one: that is done in the file.',
      next: 'Edit the file that place() names.',
      example: 'const { settings } = await memory.settings()',
    },
    tools: 'all',
    needs: 'reader',
    effect: 'read',
    isLibraryOnly: true,
    cost: 'instant',
    idempotent: true,
    input: z.object({}),
    output: z.object({ settings: z.array(setting).readonly(), summary: schemas.summary }),
    run: async () => {
      const all = settings()
      const set = all.filter(({ isDefault }) => !isDefault)
      return { settings: all, summary: `${count(all.length, 'setting')}, ${set.length} of them set.` }
    },
  })
