/** One thing an agent did with a tool. */
export interface HookStep {
  readonly tool: string
  /** The words of its input: a command, the new text of a file, or all of it. */
  readonly words: string
  /** The command line, of a tool that runs one. */
  readonly command?: string
  /** The file, of a tool that changes one. */
  readonly path?: string
  /** True if it succeeded; undefined where the client does not say. */
  readonly ok: boolean | undefined
}

/** Something that happened in a session of a coding agent, whichever client reported it. */
export type HookEvent = { readonly session: string } & (
  | { readonly kind: 'start'; readonly isNew: boolean }
  /** A message comes from a user, or from an agent that works with another agent. */
  | { readonly kind: 'prompt'; readonly text: string; readonly isOfAgent?: boolean }
  | { readonly kind: 'acted'; readonly step: HookStep }
  /** The agent had the memory keep texts, which stand in its conversation. */
  | { readonly kind: 'remembered'; readonly texts: readonly string[] }
  /** The end of a turn. `mayGoOn`: the agent may be asked to go on, because a person has its answer already. */
  | { readonly kind: 'pause'; readonly last: string; readonly mayGoOn?: boolean }
  | { readonly kind: 'compact' }
  | { readonly kind: 'end' }
)

/** A client's own names for events and fields, and the answers that it understands. */
export interface HookClient {
  readonly name: string
  /** Returns the role in which its model reads what the hook adds. */
  role(fields: HookFields): 'system' | 'user'
  /** Returns what a payload of the client tells; undefined for what is of no interest here. */
  read(fields: HookFields): HookEvent | undefined
  /** Returns the answer that adds a text to the conversation, with no field that the client does not know. */
  answer(fields: HookFields, context: string): object
}

/** The payload of a hook, whose fields are text or JSON as it pleases the client; nothing in it can be relied on. */
export interface HookFields {
  /** Returns a field as text; empty for what is absent or no text. */
  text(name: string): string
  /** Returns a field as an object, also one that came as JSON text; empty for anything else. */
  object(name: string): HookFields
  /** Returns the objects of a list; empty for anything else. */
  objects(name: string): readonly HookFields[]
  /** True if a field is there and says something. */
  has(name: string): boolean
  /** Returns all of it as JSON, cut. */
  words(): string
}

/** Characters of a text that are looked at, from its beginning: more is no question, and no word of more is compared. */
const TEXT_MAX = 8_192
/** The most objects of a list that are read. */
const OBJECTS_MAX = 100
/** The most characters of JSON in a text, which is useless when it is cut: a whole file as an edit writes it. */
const JSON_MAX = 1_048_576

/** The fields of a payload, an object or the JSON text of one. */
export function fieldsOf(payload: unknown): HookFields {
  const given = objectOf(payload)
  const at = (name: string): unknown => (Object.hasOwn(given, name) ? given[name] : undefined)
  return {
    text: (name) => {
      const value = at(name)
      return typeof value === 'string' ? cut(value) : ''
    },
    object: (name) => fieldsOf(at(name)),
    objects: (name) => {
      const value = at(name)
      return Array.isArray(value) ? value.slice(0, OBJECTS_MAX).map(fieldsOf) : []
    },
    has: (name) => ![undefined, null, '', false, 'false'].includes(at(name) as never),
    words: () => cut(Object.values(given).map(wordsOf).join(' ')),
  }
}

/** Returns the words of one field; a value that is nested more deeply is returned as JSON. */
function wordsOf(value: unknown): string {
  return cut(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}

function objectOf(payload: unknown): Readonly<Record<string, unknown>> {
  const value = typeof payload === 'string' ? parsed(payload) : payload
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {}
}

function parsed(text: string): unknown {
  if (text.length > JSON_MAX) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The beginning of a text, as it can be kept: whole characters, and none that ends a text elsewhere. */
function cut(text: string): string {
  return text.slice(0, TEXT_MAX).toWellFormed().replaceAll('\0', ' ')
}
