import { type Block, mayCover } from '../../block/block.ts'
import { count } from '../../block/text.ts'
import type { Importing } from '../../care/import-from.ts'
import type { ChangedSection } from '../../care/import-tally.ts'
import type { ImportedSection, ImportedSections } from '../../engine/ports.ts'
import { ElfmemError } from '../../errors.ts'
import { guardSecrets, overLimit } from '../../intake/check-input.ts'
import { blocksById } from '../../store/blocks.ts'
import { checkEdit, correctAll } from '../correct/edit.ts'

/** The greatest number of edits that one transaction makes. */
const EDITS_MOST = 1_000

/**
 * Edits the blocks whose sections a person changed, in one transaction that belongs to the import. Throws `CONFLICT` if one of them
 * cannot be edited so, and nothing has changed then; a dry run names them.
 */
export async function takeSections(importing: Importing, found: ImportedSections): Promise<void> {
  const { engine, context, tally, dryRun, format } = importing
  const ids = [...found.sections.map(({ id }) => id), ...found.gone]
  const blocks = await engine.store.read((tx) => blocksById(tx, ids))
  for (const id of found.gone)
    if (blocks.get(id)?.status !== 'archived' && blocks.has(id))
      tally.leave({ what: 'sections taken out', why: 'their blocks stay; forget() takes ids', example: id })
  tally.texts += found.sections.length
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
