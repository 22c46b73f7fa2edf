/** The way in which a key is defined: `table` by a header of its own, `dotted` by dotted keys, `open` only by what lies in it. */
interface Definition {
  kind: 'table' | 'dotted' | 'open' | 'list' | 'value'
  /** Of a list those of its last item. */
  below: Map<string, Definition>
}

/** The keys of a TOML document that are taken, as its rules say that each is defined once. */
export class TomlDefinitions {
  readonly #top: Definition = { kind: 'open', below: new Map() }
  #table = this.#top

  /** Begins a table or one more item of a list of tables; false if something else has its place. */
  begins(kind: 'table' | 'list', path: readonly string[]): boolean {
    const outer = this.#reached(this.#top, path.slice(0, -1), 'open')
    if (outer === undefined) return false
    const key = path.at(-1) ?? ''
    const found = outer.below.get(key)
    if (found !== undefined && found.kind !== (kind === 'list' ? 'list' : 'open')) return false
    // What was in the item before is not in this one; what lies in a table that gets its header now stays.
    this.#table = { kind, below: kind === 'table' && found ? found.below : new Map() }
    outer.below.set(key, this.#table)
    return true
  }

  /** Takes a key of the table that was begun last; false if it is taken. */
  takes(key: readonly string[]): boolean {
    const outer = this.#reached(this.#table, key.slice(0, -1), 'dotted')
    const last = key.at(-1) ?? ''
    if (outer === undefined || outer.below.has(last)) return false
    outer.below.set(last, { kind: 'value', below: new Map() })
    return true
  }

  /** The table at keys, made where none is; undefined where none can be. */
  #reached(from: Definition, keys: readonly string[], made: 'open' | 'dotted'): Definition | undefined {
    let at = from
    for (const key of keys) {
      const found = at.below.get(key) ?? { kind: made, below: new Map() }
      const isClosed = found.kind === 'value' || (made === 'dotted' && /^(?:table|list)$/.test(found.kind))
      if (isClosed) return undefined
      at.below.set(key, found)
      at = found
    }
    return at
  }
}
