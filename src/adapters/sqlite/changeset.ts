/** A value of a row; bytes as hexadecimal, because the changes are kept as JSON. */
export type Cell = string | number | null | { readonly hex: string }

/** What a transaction did to one row: values by the place of their column, absent where they did not change. */
export interface RowChange {
  readonly table: string
  /** Which columns are the primary key. */
  readonly isKey: readonly boolean[]
  readonly kind: 'made' | 'changed' | 'gone'
  /** Of what is gone all, of what changed the key and what it was; empty for what was made. */
  readonly was: readonly (Cell | undefined)[]
  /** Of what was made all, of what changed what it is. */
  readonly is: readonly (Cell | undefined)[]
}

const [TABLE, DELETED, INSERTED] = [0x54, 9, 18]
const [INTEGER, REAL, TEXT, BLOB, NULL] = [1, 2, 3, 4, 5]

/**
 * Reads what the session extension recorded, for the tables asked for. The format is documented in the comment of
 * `sqlite3session_changeset` in SQLite's sqlite3session.c.
 */
export function readChangeset(bytes: Uint8Array, wanted: ReadonlySet<string>): RowChange[] {
  const reader = new ChangesetReader(bytes)
  const changes: RowChange[] = []
  let table = { name: '', isKey: [] as readonly boolean[] }
  while (!reader.atEnd) {
    const code = reader.byte()
    if (code === TABLE) {
      table = reader.table()
      continue
    }
    // Whether a trigger did it says nothing here.
    reader.byte()
    const withBytes = wanted.has(table.name)
    const columns = table.isKey.length
    const was = code === INSERTED ? [] : reader.row(columns, withBytes)
    const is = code === DELETED ? [] : reader.row(columns, false)
    if (!withBytes) continue
    changes.push({ table: table.name, isKey: table.isKey, kind: kindOf(code), was, is })
  }
  return changes
}

function kindOf(code: number): RowChange['kind'] {
  if (code === INSERTED) return 'made'
  return code === DELETED ? 'gone' : 'changed'
}

class ChangesetReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  byte(): number {
    return this.#bytes.readUInt8(this.#at++)
  }

  table(): { name: string; isKey: readonly boolean[] } {
    const columns = this.#length()
    const isKey = [...this.#take(columns)].map((flag) => flag !== 0)
    const end = this.#bytes.indexOf(0, this.#at)
    const name = this.#take(end - this.#at).toString('utf8')
    this.#at += 1
    return { name, isKey }
  }

  /** @param withBytes false: bytes are passed over, because what was made is found by its key */
  row(columns: number, withBytes: boolean): (Cell | undefined)[] {
    return Array.from({ length: columns }, () => this.#cell(withBytes))
  }

  #cell(withBytes: boolean): Cell | undefined {
    const type = this.byte()
    if (type === NULL) return null
    if (type === INTEGER) return Number(this.#take(8).readBigInt64BE())
    if (type === REAL) return this.#take(8).readDoubleBE()
    if (type === TEXT) return this.#take(this.#length()).toString('utf8')
    if (type !== BLOB) return undefined
    const bytes = this.#take(this.#length())
    return { hex: withBytes ? bytes.toString('hex') : '' }
  }

  #take(length: number): Buffer {
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  /** SQLite's variable-length integer; lengths fit in four bytes of it. */
  #length(): number {
    let length = 0
    for (;;) {
      const byte = this.byte()
      length = length * 128 + (byte & 0x7f)
      if (byte < 0x80) return length
    }
  }
}
