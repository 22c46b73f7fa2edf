/** A setting as the view `settings` gives it. */
export interface Setting {
  readonly name: string
  readonly value?: unknown
  readonly default?: unknown
  readonly isDefault: boolean
  readonly source?: string | undefined
  readonly unit: string
  readonly range: string
  readonly reason: string
  readonly variable: string
}

/** Where a memory lies, as the view `place` gives it. */
export interface PlaceOfMemory {
  readonly file: string
  readonly rule: string
  readonly bytes?: number | undefined
  readonly backupFolder?: string | undefined
  readonly backups: readonly {
    readonly name: string
    readonly at?: string | undefined
    readonly by: string
  }[]
  readonly configs: readonly { readonly path: string; readonly rule: string }[]
  readonly scope?: string | undefined
  readonly scopes: readonly {
    readonly scope: string
    readonly active: number
    readonly inbox: number
    readonly archived: number
  }[]
  readonly version: string
  readonly readOnly: boolean
}

/** Settings whose name, reason or source holds all of the words, in either case. */
export function findSettings(settings: readonly Setting[], words: string): readonly Setting[] {
  const asked = words.toLowerCase().split(/\s+/).filter(Boolean)
  return settings.filter(({ name, reason, source = '', variable }) => {
    const text = `${name} ${name.replaceAll('_', ' ')} ${reason} ${source} ${variable}`.toLowerCase()
    return asked.every((word) => text.includes(word))
  })
}

/** Settings under the first part of their names. */
export function bySection(settings: readonly Setting[]): readonly (readonly [string, readonly Setting[]])[] {
  const sections = new Map<string, Setting[]>()
  for (const setting of settings) {
    const section = setting.name.includes('.') ? setting.name.slice(0, setting.name.indexOf('.')) : 'general'
    sections.set(section, [...(sections.get(section) ?? []), setting])
  }
  return [...sections]
}

/** A value of a setting as a file would have it. */
export function valueWords(value: unknown): string {
  if (value === undefined) return 'none'
  if (typeof value === 'string') return value === '' ? 'empty' : value
  return JSON.stringify(value)
}

/** A remark as a sentence. */
export function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.?!]$/.test(words) ? '' : '.'}`
}

/** Bytes as people read them. */
export function sizeWords(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(0)} kB`
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`
  return `${(bytes / 1_000_000_000).toFixed(2)} GB`
}
