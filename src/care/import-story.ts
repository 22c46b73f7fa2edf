import type { RecordHead, StoreRecord } from '../store/maintenance.ts'

/** Checks that the records of an export fit each other. */
export interface ImportStory {
  /** Returns what is wrong with a record after those before it; undefined if nothing is. */
  readonly follow: (record: StoreRecord) => string | undefined
  /** Returns what was expected and did not come; undefined if all came. */
  readonly missing: () => string | undefined
}

/**
 * Follows an export line by line for what no single line and no table can say: the log goes forward, its sessions are
 * there, and the vectors are those the head speaks of.
 */
export function followImport({ embedding }: RecordHead): ImportStory {
  const sessions = new Set<unknown>()
  const expected = new Map(
    embedding === undefined
      ? []
      : [
          ['embedding_model', embedding.model],
          ['embedding_dimensions', String(embedding.dimensions)],
        ],
  )
  const come = new Set<unknown>()
  let [id, hours] = [0, Number.NEGATIVE_INFINITY]

  const followOperation = (row: StoreRecord['row']): string | undefined => {
    if (Number(row.id) <= id || Number(row.hours) < hours) return 'the log goes back'
    id = Number(row.id)
    hours = Number(row.hours)
    const isLost = row.session !== undefined && !sessions.has(row.session)
    return isLost ? 'its session is not there' : undefined
  }
  const followSetting = ({ key, value }: StoreRecord['row']): string | undefined => {
    if (key !== 'embedding_model' && key !== 'embedding_dimensions') return undefined
    come.add(key)
    return expected.get(key) === value ? undefined : `the head speaks of another ${key}`
  }
  return {
    follow({ kind, row }) {
      if (kind === 'sessions') sessions.add(row.id)
      if (kind === 'operations') return followOperation(row)
      return kind === 'meta' ? followSetting(row) : undefined
    },
    missing() {
      const key = [...expected.keys()].find((each) => !come.has(each))
      return key === undefined ? undefined : `the head speaks of an ${key} and there is none`
    },
  }
}
