import * as z from 'zod'
import { count } from '../../block/text.ts'
import { exportPath, noteCopyElsewhere, recordsIn, timeName } from '../../care/files-of.ts'
import { EXPORT_FORMAT, EXPORT_VERSION, totalOf } from '../../care/import-lines.ts'
import type { CallContext, Engine } from '../../engine/engine.ts'
import { ElfmemError } from '../../errors.ts'
import type { RecordHead, StoreRecord } from '../../store/transaction.ts'
import { defineOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { escapedJson, sentences } from '../wording.ts'
import { exportMarkdown } from './export-markdown.ts'
import { exportSkills } from './export-skills.ts'

const input = z.object({
  path: schemas.path.optional().describe('A new file; on the command line - is standard output'),
  name: schemas.fileName
    .optional()
    .describe('A new file in the folder of exports beside the memory; the time when left out'),
  markdown: schemas.path
    .optional()
    .describe('A folder for notes to read and edit instead: one for each tag or category')
    .meta({ unlisted: true }),
  skills: schemas.path
    .optional()
    .describe('A folder for proven strategies instead: a SKILL.md in a folder for each')
    .meta({ unlisted: true }),
})

/** `memory.export`, whose name is a word of the language. */
export const exportOperation = defineOperation({
  name: 'export',
  summary: 'Write everything the memory holds as JSON Lines.',
  guide: {
    when: 'To read, search or move a memory with other tools, or to look at two of them side by side.',
    whenNot: 'To be safe from accidents use backup(), which is quicker and checked.',
    next: 'import() takes it in: into an empty memory it becomes the same memory. Notes of markdown: importFrom().',
    example: "await memory.export({ name: 'memory.jsonl' })",
  },
  tools: 'all',
  dashboard: 'never',
  needs: 'agent',
  effect: 'write',
  isLasting: true,
  cost: 'batch',
  idempotent: false,
  refuses: ['NOT_FOUND', 'OUT_OF_SCOPE', 'CONFLICT'],
  input,
  output: z.object({
    path: z.string().optional().describe('Where it is; absent when it went to standard output'),
    bytes: z.int(),
    blocks: z.int(),
    records: z.int().describe('Rows that were written'),
    files: z.int().optional().describe('Notes, with markdown'),
    left: z.int().optional().describe('Blocks that notes leave out: archived ones and texts of items'),
    stayed: z.array(z.string()).readonly().optional().describe('Files of others that stayed as they are'),
    summary: schemas.summary,
  }),
  positionals: ['path'],
  local: { path: 'output', markdown: 'path', skills: 'path' },
  run: async (engine, input, context) => {
    const { markdown, skills } = input
    if ([input.name, input.path, markdown, skills].filter((each) => each !== undefined).length > 1)
      throw new ElfmemError('INVALID_INPUT', 'An export goes to a name, to a path or to a folder.', {
        recovery: 'Give one of them.',
      })
    if (markdown !== undefined) return writeNotes(engine, context, markdown)
    if (skills !== undefined) return writeSkills(engine, skills)
    const result = await exportMemory(engine, context, input)
    const { blocks, records, path } = result
    const text = sentences(
      `${count(blocks, 'block')} and ${count(records - blocks, 'record')} about them`,
      path === undefined ? 'written.' : `are in ${path}.`,
    )
    return { ...result, summary: text }
  },
})

/** Writes the living blocks as notes. */
async function writeNotes(engine: Engine, context: CallContext, folder: string) {
  const { files, left, ...result } = await exportMarkdown(engine, context, folder)
  const notes = `${count(result.blocks, 'block')} in ${count(files, 'note')} under ${folder}.`
  const rest = `${count(left, 'block')} left out: archived, or the text of an item.`
  return { ...result, files, left, summary: sentences(notes, left > 0 && rest) }
}

/** Writes strategies as skills. */
async function writeSkills(engine: Engine, folder: string) {
  const { stayed, ...result } = await exportSkills(engine, folder)
  const done = `${count(result.blocks, 'strategy', 'strategies')} written to ${folder}.`
  const kept = `${count(stayed.length, 'file')} that others wrote or changed stayed.`
  return { ...result, stayed, records: 0, summary: sentences(done, stayed.length > 0 && kept) }
}

/** Writes everything the memory holds, one JSON value a line, of one state and always in the same order. */
async function exportMemory(engine: Engine, context: CallContext, { name, path }: z.output<typeof input>) {
  const target = path ?? exportPath(engine, name ?? `${timeName(engine)}.jsonl`)
  const done = await recordsIn(engine).read(async (head, records) => {
    const lines = linesOf(head, records, context)
    const bytes = target === '-' ? await pipe(lines, context) : await engine.texts.write(target, lines)
    return {
      ...(target === '-' ? {} : { path: target }),
      bytes,
      blocks: head.counts.blocks ?? 0,
      records: totalOf(head.counts),
    }
  })
  if (path !== undefined && path !== '-') await noteCopyElsewhere(engine, path)
  return done
}

async function* linesOf(
  head: RecordHead,
  records: AsyncIterable<StoreRecord>,
  { signal, progress }: CallContext,
): AsyncGenerator<string> {
  yield escapedJson(JSON.stringify({ format: EXPORT_FORMAT, version: EXPORT_VERSION, ...head }))
  const total = totalOf(head.counts)
  let done = 0
  for await (const { kind, row } of records) {
    if (signal?.aborted)
      throw new ElfmemError('CANCELLED', 'The export was cancelled.', {
        recovery: 'Call it again; no file was left.',
      })
    yield escapedJson(JSON.stringify({ table: kind, ...row }))
    done += 1
    if (done % 1_000 === 0) progress?.({ stage: 'exporting', done, total })
  }
}

async function pipe(lines: AsyncIterable<string>, { pipe: given }: CallContext): Promise<number> {
  if (given === undefined)
    throw new ElfmemError('INVALID_INPUT', 'There is no standard output here.', { recovery: 'Name a file.' })
  let characters = 0
  for await (const line of lines) {
    await given.write(`${line}\n`)
    characters += line.length + 1
  }
  return characters
}
