import * as z from 'zod'
import { count } from '../../block/text.ts'
import { atNow, filesOf, noteCopyElsewhere } from '../../care/files-of.ts'
import type { CallContext, Engine } from '../../engine/engine.ts'
import { isOwner } from '../../intake/check-input.ts'
import type { StoreFiles } from '../../store/database.ts'
import { defineOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences } from '../wording.ts'

/** Returns the name and size of a checked copy; without a path the oldest backups may make room for it. */
export const backup = defineOperation({
  name: 'backup',
  summary: 'Copy the memory into a file of its own, while it is in use, and check the copy.',
  guide: {
    when: 'Before something you may regret, and once a day from a timer.',
    whenNot: 'To move a memory to another version or to read it elsewhere use export().',
    next: 'restoreBackup() with the name brings it back.',
    example: 'const { name } = await memory.backup()',
  },
  tools: 'all',
  needs: 'agent',
  effect: 'write',
  isLasting: true,
  cost: 'batch',
  idempotent: false,
  refuses: ['NOT_FOUND', 'OUT_OF_SCOPE'],
  input: z.object({
    path: schemas.path
      .optional()
      .describe('A new file; in the folder of backups beside the memory when left out'),
  }),
  output: z.object({
    path: z.string(),
    name: z.string().describe('The name that restoreBackup takes'),
    bytes: z.int(),
    blocks: z.int(),
    edges: z.int(),
    operations: z.int().describe('Entries of the log'),
    removed: z.array(z.string()).readonly().describe('Older backups that made room'),
    seconds: z.number(),
    summary: schemas.summary,
  }),
  positionals: ['path'],
  local: { path: 'path' },
  run: async (engine, { path }, context) => {
    const files = filesOf(engine)
    const started = engine.clock.now()
    const made = await (path === undefined
      ? besideMemory(engine, files, context)
      : elsewhere(engine, files, context, path))
    const { blocks, edges, removed } = made
    const text = sentences(
      `${count(blocks, 'block')} and ${count(edges, 'edge')} are in ${made.path}, checked.`,
      removed.length > 0 && `${count(removed.length, 'older backup')} made room.`,
    )
    return { ...made, seconds: (engine.clock.now() - started) / 1000, summary: text }
  },
})

/** Makes a backup in the folder beside the memory. Old backups of agents make room for those of agents, and for no other. */
async function besideMemory(engine: Engine, files: StoreFiles, context: CallContext) {
  const of = isOwner(engine, context) ? 'owner' : 'agent'
  const made = await files.backup({ at: atNow(engine), of }, context.signal)
  return { ...made, removed: await files.pruneBackups(made.name, engine.settings.store.keepBackups) }
}

async function elsewhere(engine: Engine, files: StoreFiles, { signal }: CallContext, path: string) {
  const made = await files.backup({ path }, signal)
  await noteCopyElsewhere(engine, path)
  return { ...made, removed: [] }
}
