import * as z from 'zod'
import { type Block, mayCover } from '../../block/block.ts'
import { count, defined, preview, shortened } from '../../block/text.ts'
import { type ImportedFrom, type Importing, importFrom as run } from '../../care/import-from.ts'
import type { ChangedSection, Tally } from '../../care/import-tally.ts'
import { dreamAdvice } from '../../dream/rest.ts'
import { IMPORT_FORMATS, type ImportedSection, type ImportedSections } from '../../engine/ports.ts'
import { ElfmemError } from '../../errors.ts'
import { guardSecrets, overLimit, redactedSentence } from '../../intake/check-input.ts'
import { blocksById, readWaiting } from '../../store/blocks.ts'
import { checkEdit, correctAll } from '../correct/edit.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { dreamHint, leftOutSentence, sentences, shortId } from '../wording.ts'

/** The greatest number of edits that one transaction makes. */
const EDITS_MOST = 1_000

/**
 * Edits the blocks whose sections a person changed, in one transaction that belongs to the import. Throws `CONFLICT` if a block
 * cannot be edited so; nothing has changed then. A dry run names these blocks.
 */
export async function takeSections(importing: Importing, found: ImportedSections): Promise<void> {
  const { engine, context, tally, dryRun, format } = importing
  const ids = [...found.sections.map(({ id }) => id), ...found.gone]
  const blocks = await engine.store.read((tx) => blocksById(tx, ids))
  for (const id of found.gone)
    if (blocks.get(id)?.status !== 'archived' && blocks.has(id))
      tally.leave({ what: 'sections taken out', why: 'their blocks stay; forget() takes ids', example: id })
  const changed: ChangedSection[] = []
  for (const section of found.sections) {
    const each = await changeOf(importing, section, blocks.get(section.id))
    if (each === undefined) tally.known += 1
    else changed.push(each)
  }
  tally.changed = changed
  const refused = changed.filter((each) => each.refused !== undefined)
  if (dryRun || changed.length === 0) return
  if (refused.length > 0) throw conflict(refused)
  if (changed.length > EDITS_MOST)
    throw overLimit({
      ...{ what: 'path', found: changed.length, limit: EDITS_MOST, unit: 'changed sections' },
      recovery: 'Import the notes one by one, each by its path.',
    })
  const edits = changed.map(({ blockId, content, before: was }) => ({
    blockId,
    content,
    was,
    allowConstitutional: false,
  }))
  await correctAll(engine, context, edits, async ({ log }) => {
    await log({
      operation: 'import_from',
      blockIds: edits.map(({ blockId }) => blockId),
      summary: `${count(edits.length, 'edit')} from ${format}`,
      before: tally.nextPart(),
    })
  })
}

/** Returns the change of a section; undefined if a person changed nothing, or the block has the words already. */
async function changeOf(
  importing: Importing,
  { id: blockId, content: written, hash, place }: ImportedSection,
  block: Block | undefined,
): Promise<ChangedSection | undefined> {
  const { engine, context, tally, trusted } = importing
  const hashOf = (text: string) => engine.ids.sha256(text).slice(0, hash.length)
  if (hashOf(written) === hash || written === block?.content) {
    if (block === undefined)
      tally.leave({ what: 'sections of no block here', why: 'no block has their ids', example: blockId })
    return undefined
  }
  const before = block?.content ?? ''
  let content = written
  try {
    const guarded = await guardSecrets({ content }, engine.settings.memory.secrets)
    tally.redact(guarded.redacted.map((each) => ({ ...each, field: `${place}: ${each.field}` })))
    content = guarded.input.content
    if (content === before) return undefined
    if (block === undefined) throw refusal('no block has its id any more')
    checkEdit(engine, context, block, { blockId, content, allowConstitutional: false })
    if (hashOf(before) !== hash) throw refusal('its block was changed here, too, since the export')
    if (!trusted && !mayCover('import', block))
      throw refusal('nobody vouches for its words: import with trusted, if you wrote them')
    return { blockId, place, before, content }
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    return { blockId, place, before, content, refused: error.message }
  }
}

function refusal(why: string): ElfmemError {
  return new ElfmemError('CONFLICT', why, { recovery: '' })
}

function conflict(refused: readonly ChangedSection[]): ElfmemError {
  const [first] = refused as readonly [ChangedSection, ...ChangedSection[]]
  const others = refused.length > 1 ? `, and ${refused.length - 1} more are refused` : ''
  return new ElfmemError('CONFLICT', `${first.place} (${first.blockId}): ${first.refused}${others}.`, {
    recovery:
      'Nothing was taken in; dryRun names all of them. Put the words of that section back, or export to a new folder and change them there.',
    details: { places: refused.map(({ place }) => place).slice(0, 50) },
  })
}

/** Signs of a sample in an answer. */
const SAMPLE_MOST = 300
/** The most characters of a text in a line. */
const LINE_MOST = 160

const edit = z.object({
  id: z.string(),
  place: z.string().describe('File and line'),
  before: z.string().describe(`At most ${SAMPLE_MOST} characters`),
  content: z.string().describe(`The words of the section, at most ${SAMPLE_MOST} characters`),
  refused: z
    .string()
    .optional()
    .describe('Why the block cannot get them; without dryRun nothing is taken in'),
})

const left = z.object({
  what: z.string().describe('What they are, in the plural'),
  why: z.string().describe('Why they are not kept, a sentence without its full stop'),
  count: z.int().describe('How many there are'),
  examples: z.array(z.string()).readonly().describe('At most five'),
})

/** Takes in what another program remembers: any number of times, and what is there stays as it is. */
export const importFrom = defineScopedOperation({
  name: 'importFrom',
  summary: 'Take in what another program remembers: a database, an export of chats, rules, notes.',
  guide: {
    when: 'You come from the Python elfmem, server-memory, mem0, ChatGPT, Claude, rules for agents or notes in Markdown.',
    whenNot: 'For an export of elfmem use import(). For one text use learnDocument().',
    next: 'Look first: dryRun shows counts and what cannot be kept. Then dream(). undo() takes all of it back.',
    example: "await memory.importFrom({ path: 'notes/', dryRun: true })",
  },
  tools: 'none',
  needs: 'owner',
  effect: 'write',
  makesMemory: ({ dryRun }) => dryRun !== true,
  cost: 'batch',
  idempotent: true,
  refuses: ['NOT_FOUND', 'CONFLICT', 'EMBEDDER_FAILED', 'EMBEDDER_MISMATCH', 'STORE_BUSY'],
  input: z.object({
    path: schemas.path.describe('The file or folder of the other program; it is only read'),
    format: z
      .enum(['auto', ...IMPORT_FORMATS])
      .default('auto')
      .describe('Its format; recognised by what it holds when left out'),
    dryRun: z.boolean().default(false).describe('Only say what would be taken in'),
    trusted: z
      .boolean()
      .default(false)
      .describe('The words are your own: keep who speaks, and what says who the agent is'),
    archived: z.boolean().default(false).describe('Also what was archived there'),
  }),
  output: z.object({
    format: z.enum(IMPORT_FORMATS).describe('The format that was read'),
    dryRun: z.boolean().describe('True: nothing was written'),
    created: z.int().describe('New blocks; in a dry run those that would be'),
    known: z
      .int()
      .describe('Texts that were here already, also archived or edited since; they stay as they are'),
    linksMade: z.int().describe('Connections made now; in a dry run those that would be'),
    edited: z.int().describe('Blocks edited by changed sections of notes; in a dry run those that would be'),
    edits: z.array(edit).readonly().describe('The changed sections, refused ones first, at most fifty'),
    left: z.array(left).readonly().describe('What cannot be kept, and why'),
    operationId: z
      .int()
      .optional()
      .describe('Undo this one to take back all that came now; absent if nothing was written'),
    leftOut: schemas.leftOut.optional(),
    ...schemas.takenIn,
  }),
  positionals: ['path'],
  local: { path: 'path' },
  ownerOnly: { trusted: [true] },
  run: async (engine, input, context) => {
    const { dryRun } = input
    const { tally, format, operationId } = await run(engine, context, input, takeSections)
    const waiting = await engine.store.read(async (tx) => dreamAdvice(engine, await readWaiting(tx)))
    const { created, known, linksMade, redacted, leftOut } = tally
    return {
      ...{ format, dryRun, created, known, linksMade },
      edited: editedIn(tally),
      edits: editsOf(tally),
      left: tally.left.map(({ examples, ...each }) => {
        return { ...each, examples: examples.map((text) => shortened(text, 200)) }
      }),
      ...waiting,
      visible: true as const,
      ...defined({ operationId, redacted: redacted.length > 0 ? redacted : undefined, leftOut }),
      summary: summaryOf(tally, { dryRun, operationId, waiting }),
    }
  },
  render: (output) =>
    [
      output.summary,
      ...sectionOf('Changed sections', output.edits.flatMap(editLines)),
      ...sectionOf('Not kept', output.left.map(lossLine)),
    ].join('\n'),
})

function editedIn({ changed }: Tally): number {
  return changed.filter(({ refused }) => refused === undefined).length
}

function editsOf({ changed }: Tally): z.output<typeof edit>[] {
  const refusedFirst = changed.toSorted((one, other) => Number(!one.refused) - Number(!other.refused))
  return refusedFirst.slice(0, 50).map(({ blockId: id, place, before, content, refused }) => ({
    ...{ id, place: shortened(place, SAMPLE_MOST), ...defined({ refused }) },
    ...{ before: shortened(before, SAMPLE_MOST), content: shortened(content, SAMPLE_MOST) },
  }))
}

function editLines({ id, place, before, content, refused }: z.output<typeof edit>): string[] {
  const head = `  ${shortId(id)} ${preview(place, 40)}${refused === undefined ? '' : ` refused: ${refused}`}`
  return [head, `    - ${preview(before, LINE_MOST)}`, `    + ${preview(content, LINE_MOST)}`]
}

interface Done extends Pick<ImportedFrom, 'operationId'> {
  readonly dryRun: boolean
  readonly waiting: { readonly pending: number; readonly shouldDream: boolean }
}

function summaryOf(tally: Tally, { dryRun, operationId, waiting }: Done): string {
  const { created, known, linksMade, redacted, leftOut, changed } = tally
  const [edited, refused] = [editedIn(tally), changed.length - editedIn(tally)]
  const would = dryRun ? 'would be taken in' : 'taken in'
  return sentences(
    `${count(created, 'block')} ${would}, ${known} known already.`,
    linksMade > 0 && `${count(linksMade, 'connection')} ${would}.`,
    edited > 0 && `${count(edited, 'block')} ${dryRun ? 'would be edited' : 'edited'}.`,
    refused > 0 && `${count(refused, 'changed section')} would be refused, and with them the import.`,
    edited > 0 && !dryRun && 'Export again before you change these notes further.',
    redactedSentence(redacted),
    leftOutSentence(leftOut),
    dryRun && 'Nothing was written.',
    operationId !== undefined && `undo({ operationId: ${operationId} }) takes all of it back.`,
    !dryRun && dreamHint(waiting),
  )
}

function lossLine({ what, why, count, examples: [example] }: z.output<typeof left>): string {
  return `  ${count} ${what}${example === undefined ? '' : ` (${preview(example, 40)})`}: ${why}`
}

function sectionOf(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines]
}
