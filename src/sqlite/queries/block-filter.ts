import type { BlockStatus } from '../../domain/block/block.ts'
import { TIER_REASONS } from '../../domain/score/formulas.ts'
import { spellingsOf } from '../../domain/text/text.ts'
import type { BlockCondition } from '../../ports/store/queries.ts'
import type { Form } from '../connection/connection.ts'

/** A value of a statement. */
export type Parameter = string | number

/** Takes a value for a statement and returns the place it is bound to. */
export type Bind = (value: Parameter) => string

/** Spelled out in the statement's text, because an index on one status serves no bound parameter. */
const STATUSES: Readonly<Record<BlockStatus, string>> = {
  inbox: 'inbox',
  active: 'active',
  archived: 'archived',
}

/** The conditions on rows of `blocks`, which are joined by AND; of none an empty list. */
export function conditionsOf(wanted: BlockCondition, bind: Bind, form: Form): string[] {
  const conditions: string[] = []
  if (wanted.status !== undefined) conditions.push(`blocks.status = '${STATUSES[wanted.status]}'`)
  for (const column of ['category', 'session'] as const) {
    const value = wanted[column]
    if (value !== undefined) conditions.push(`${form.unindexed}blocks.${column} = ${bind(value)}`)
  }
  for (const [value, condition] of [
    [wanted.source, 'blocks.source ='],
    [wanted.sourceClass, 'blocks.source_class ='],
    [wanted.since, 'blocks.created_at >='],
    [wanted.until, 'blocks.created_at <'],
  ] as const)
    if (value !== undefined) conditions.push(`${condition} ${bind(value)}`)
  if (wanted.tag !== undefined) conditions.push(taggedBy(tagCondition(wanted.tag, bind), form))
  if (wanted.tier !== undefined) conditions.push(`${tierOf(form)} = ${bind(wanted.tier)}`)
  if (wanted.isolated) conditions.push(`blocks.id IN (${isolatedIds(form)})`)
  if (wanted.undecided) conditions.push(`blocks.id IN (${undecidedIds(form)})`)
  for (const word of new Set(wanted.words)) conditions.push(saysWord(word, bind))
  return conditions
}

/** The tier of a block, as `decayTier` says it. An expression for a column. */
export function tierOf(form: Form): string {
  const cases = TIER_REASONS.map(({ tier, tags, categories }) => {
    const list = (words: readonly string[]) => words.map((word) => `'${word}'`).join(', ')
    const isTagged = tags.length === 0 ? '' : ` OR ${taggedBy(`tag IN (${list(tags)})`, form)}`
    return `WHEN blocks.category IN (${list(categories)})${isTagged} THEN '${tier}'`
  })
  return `CASE ${cases.join(' ')} ELSE 'standard' END`
}

function taggedBy(condition: string, { own }: Form): string {
  return `blocks.id IN (SELECT block_id FROM block_tags WHERE ${condition}${own('block_tags')})`
}

function tagCondition(tag: string, bind: Bind): string {
  if (!tag.endsWith('*')) return `tag = ${bind(tag)}`
  const prefix = tag.slice(0, -1)
  return `tag >= ${bind(prefix)} AND tag < ${bind(prefixEnd(prefix))}`
}

/** In the order of ids, in which strengths lie, too: other orders would jump through them. */
function isolatedIds({ own, strengths }: Form): string {
  return `SELECT id FROM blocks AS loose WHERE loose.id > ''${own('loose')}
    AND NOT EXISTS (SELECT 1 FROM ${strengths} WHERE block_id = loose.id)`
}

/** Every arrival is above 0: said so that the index of open pairs serves. */
function undecidedIds({ own }: Form): string {
  const open = `FROM pairs WHERE resolved = 0 AND arrival > 0${own('pairs')}`
  return `SELECT a ${open} UNION ALL SELECT b ${open}`
}

function saysWord(word: string, bind: Bind): string {
  const spelled = spellingsOf(word).map((each) => {
    const place = bind(`%${each.replace(/[\\%_]/g, '\\$&')}%`)
    return ['content', 'cue', 'summary'].map((column) => `blocks.${column} LIKE ${place} ESCAPE '\\'`)
  })
  return `(${spelled.flat().join(' OR ')})`
}

const LAST = 0x10ffff
const BEFORE_SURROGATES = 0xd7ff
const AFTER_SURROGATES = 0xe000

/**
 * The smallest string after all strings that begin with `prefix`, in the order of code points, which is SQLite's order
 * of UTF-8 bytes: so a prefix is a range and no character is a wildcard.
 */
export function prefixEnd(prefix: string): string {
  // A prefix may be as long as a whole text: a list of its characters would not fit the stack.
  for (let end = prefix.length; end > 0; ) {
    const start = end - (isPair(prefix, end - 2) ? 2 : 1)
    const point = prefix.codePointAt(start) as number
    if (point < LAST) {
      const next = point === BEFORE_SURROGATES ? AFTER_SURROGATES : point + 1
      return prefix.slice(0, start) + String.fromCodePoint(next)
    }
    end = start
  }
  return String.fromCodePoint(LAST, LAST)
}

/** True if a character of two halves begins there. */
function isPair(text: string, at: number): boolean {
  return at >= 0 && (text.codePointAt(at) as number) > 0xffff
}
