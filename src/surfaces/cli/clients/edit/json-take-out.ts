import { sha256OfValue, type Trace } from './entry.ts'
import { childOf, type JsonChild, type JsonNode } from './json-tree.ts'

/** A child on the way to an entry, and the container that it is in. */
interface Step {
  readonly child: JsonChild
  readonly index: number
  readonly siblings: readonly JsonChild[]
  /** The place where its container begins. */
  readonly open: number
}

/** Takes an entry out of a file, and of the objects that were made for it those that hold nothing else. */
export function takeOutOf(text: string, root: JsonNode | undefined, trace: Trace) {
  const steps = stepsTo(root, trace)
  const entry = steps?.at(-1)
  if (root === undefined || steps === undefined || entry === undefined)
    return hasChanged(root, trace) ? 'other' : 'absent'
  if (sha256OfValue(entry.child.node.value) !== trace.sha256) return 'other'
  const { start, end } = entry.child.node
  if (trace.replaced !== undefined)
    return { text: text.slice(0, start) + trace.replaced.text + text.slice(end) }
  let { made } = trace
  let at = steps.length - 1
  // What was made goes with its only child, and the whole text if all of it was made.
  while (made > 0 && at >= 0 && steps[at]?.siblings.length === 1) {
    made -= 1
    at -= 1
  }
  const isWhole = trace.made === madeForAll(trace)
  const step = steps[at]
  if (step === undefined) return { text: withoutRange(text, root.start, root.end, trace) }
  const isOutermost = trace.made > 0 ? made === 0 && !isWhole : true
  return { text: withoutChild(text, step, isOutermost ? trace : { lead: '', tail: '' }) }
}

/** Outer objects of an entry that stands in a text which had nothing before. */
function madeForAll({ kind, at }: Trace): number {
  return kind === 'item' ? at.length + 1 : at.length
}

function stepsTo(root: JsonNode | undefined, trace: Trace): Step[] | undefined {
  const steps: Step[] = []
  let node = root
  for (const key of trace.at) {
    const child = childOf(node, key)
    if (child === undefined) return undefined
    const siblings = node?.container?.children ?? []
    steps.push({ child, index: siblings.indexOf(child), siblings, open: node?.start ?? 0 })
    node = child.node
  }
  if (trace.kind !== 'item') return steps
  const siblings = node?.container?.kind === 'array' ? node.container.children : []
  const index = siblings.findLastIndex((child) => sha256OfValue(child.node.value) === trace.sha256)
  const child = siblings[index]
  return child && [...steps, { child, index, siblings, open: node?.start ?? 0 }]
}

/** True if a list has an item that calls elfmem, though none is as it was put there. */
function hasChanged(root: JsonNode | undefined, { kind, at }: Trace): boolean {
  const list = at.reduce((node: JsonNode | undefined, key) => childOf(node, key)?.node, root)
  const items = kind === 'item' ? list?.container?.children : undefined
  return items?.some(({ node }) => isOurs(node.value)) === true
}

/** True for an item of a list that calls elfmem. */
export function isOurs(value: unknown): boolean {
  return /"(?:server|name)":"elfmem"|"(?:command|bash)":"[^"]*\belfmem|^"elfmem/.test(JSON.stringify(value))
}

type Around = Pick<Trace, 'lead' | 'tail'>

function withoutRange(text: string, from: number, to: number, { lead, tail }: Around): string {
  const start = text.slice(0, from).endsWith(lead) ? from - lead.length : from
  const end = text.startsWith(tail, to) ? to + tail.length : to
  return text.slice(0, start) + text.slice(end)
}

function withoutChild(text: string, step: Step, around: Around): string {
  const { child, index, siblings } = step
  const end = (child.comma ?? child.end - 1) + 1
  const lead = leadStart(text, step, end)
  if (siblings.length === 1) {
    const isOurs = child.comma === undefined && lead <= child.start - around.lead.length
    return isOurs ? withoutRange(text, child.start, end, around) : without(text, [lead, end])
  }
  if (child.comma !== undefined) return without(text, [lead, child.end], [child.comma, end])
  const before = siblings[index - 1]?.comma ?? child.start
  return without(text, [before, before + 1], [lead, child.end])
}

/**
 * Returns the place where the blanks before a child begin that go with it: those of its own line with the end of the line before.
 * If that one ends with a comment and something follows the child, its end stays.
 */
function leadStart(text: string, { child, index, siblings, open }: Step, end: number): number {
  let at = child.start
  while (text[at - 1] === ' ' || text[at - 1] === '\t') at -= 1
  if (text[at - 1] !== '\n') return at
  const lineEnd = text[at - 2] === '\r' ? at - 2 : at - 1
  const isLast = /^[ \t]*(?:\r?\n|$)/.test(text.slice(end, end + BLANKS_MAX))
  const behind = siblings[index - 1]?.comma ?? open
  return !isLast && endsWithComment(text.slice(behind + 1, lineEnd)) ? at : lineEnd
}

/** Blanks on the rest of a line that are looked through. */
const BLANKS_MAX = 1000
const COMMENT = /\/\/[^\r\n]*|\/\*(?:[^*]|\*(?!\/))*\*\//g

/** True if the last comment of a text that holds only blanks and comments ends with its line, and is at its end. */
function endsWithComment(trivia: string): boolean {
  const last = trivia.match(COMMENT)?.at(-1)
  return last?.startsWith('//') === true && trivia.endsWith(last)
}

function without(text: string, ...ranges: readonly (readonly [from: number, to: number])[]): string {
  let kept = ''
  let at = 0
  for (const [from, to] of ranges) {
    kept += text.slice(at, Math.max(at, from))
    at = Math.max(at, to)
  }
  return kept + text.slice(at)
}
