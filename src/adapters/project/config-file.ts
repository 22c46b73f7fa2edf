import { FRAME_NAMES } from '../../engine/frames.ts'
import { ElfmemError } from '../../errors.ts'
import { nearest } from '../../operations/wording.ts'
import type { ProjectFiles, ReadRules } from './files.ts'
import { goneSetting } from './gone-settings.ts'
import { isNestedDeeper, NESTING_MAX, nestsDeeper } from './nesting.ts'
import { isRecord, type RawSettings, settingsFileSchema } from './settings-schema.ts'
import { camelCase, type JsonSchema, respell } from './spelling.ts'

/** The contents of a config file, its keys in camelCase. */
export interface ConfigFile {
  readonly values: RawSettings
  /** Warnings, one sentence for each key that means nothing. */
  readonly warnings: readonly string[]
}

/** Reads a config file (JSON by its extension, else YAML); undefined when there is none. */
export async function readConfigFile(
  path: string,
  files: Pick<ProjectFiles, 'read'>,
  rules: ReadRules = {},
): Promise<ConfigFile | undefined> {
  const text = files.read(path, rules)
  if (text === undefined) return undefined
  // Before it is parsed: the parser of YAML calls itself for each level.
  if (nestsDeeper(text)) throw invalid(path, `it nests deeper than ${NESTING_MAX} levels`)
  const { document, oddities } = await parse(path, text)
  if (document === undefined || document === null) return { values: {}, warnings: [] }
  if (!isRecord(document))
    throw invalid(path, 'the file must hold sections of settings, not a single value or a list')
  // An alias of YAML may stand within itself and never end.
  if (isNestedDeeper(document)) throw invalid(path, `it nests deeper than ${NESTING_MAX} levels`)
  const schema = settingsFileSchema()
  const warnings = oddities.map((oddity) => `${path}: ${oddity}.`)
  const known = withoutUnknown(withoutNulls(document), schema, (key, hint) =>
    warnings.push(
      `${path}: ${goneSetting(key.split('.').map(camelCase), key) ?? `${key} is no setting and is ignored${hint}`}`,
    ),
  )
  return { values: respell(known, schema, inCode) as RawSettings, warnings }
}

/** A frame's name has the same spelling everywhere. */
function inCode(name: string): string {
  return (FRAME_NAMES as readonly string[]).includes(name) ? name : camelCase(name)
}

/** The document, and YAML's warnings about what it found odd but understood. */
async function parse(path: string, text: string) {
  try {
    if (path.endsWith('.json')) return { document: JSON.parse(text) as unknown, oddities: [] }
    const { parseDocument } = await import('yaml')
    // Left to itself it writes its warnings, and with them lines of the file, to the terminal as they are.
    const yaml = parseDocument(text, { prettyErrors: true, logLevel: 'error' })
    if (yaml.errors[0] !== undefined) throw yaml.errors[0]
    const oddities = yaml.warnings.map(({ message }) => firstLine(message))
    return { document: yaml.toJS() as unknown, oddities }
  } catch (cause) {
    throw invalid(path, firstLine((cause as Error).message), cause)
  }
}

function firstLine(message: string): string {
  return message.split('\n')[0]?.replace(/:$/, '') || 'it cannot be parsed'
}

function invalid(path: string, reason: string, cause?: unknown): ElfmemError {
  return new ElfmemError('CONFIG_INVALID', `${path}: ${reason}`, {
    recovery: 'Correct the file, or move it away and run `elfmem init` for a fresh one.',
    details: { file: path },
    ...(cause === undefined ? {} : { cause }),
  })
}

/** A section or key without a value counts as absent. */
function withoutNulls(record: Record<string, unknown>): Record<string, unknown> {
  const kept = Object.entries(record).filter(([, value]) => value !== null)
  return Object.fromEntries(kept.map(([key, value]) => [key, isRecord(value) ? withoutNulls(value) : value]))
}

/** Returns the values without unknown keys, and reports each of these: none may come in under another spelling. */
function withoutUnknown(
  record: Record<string, unknown>,
  { properties }: JsonSchema,
  told: (key: string, hint: string) => void,
  at = '',
): Record<string, unknown> {
  if (!properties) return record
  const kept = Object.entries(record).flatMap(([key, value]) => {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (known) return [[key, isRecord(value) ? withoutUnknown(value, known, told, `${at}${key}.`) : value]]
    told(`${at}${key}`, hintFor(key, properties, at))
    return []
  })
  return Object.fromEntries(kept)
}

function hintFor(key: string, properties: Readonly<Record<string, JsonSchema>>, at: string): string {
  const similar = nearest(key, Object.keys(properties))
  return similar === undefined ? '.' : `; did you mean ${at}${similar}?`
}
