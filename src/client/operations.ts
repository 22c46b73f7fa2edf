import type { Operations } from '../operations/methods.generated.ts'

/** What a call does: it reads, it writes, or it may work through a whole memory and so takes long. */
type Kind = 'read' | 'write' | 'long'

/** The operations of a memory by name. They stand here as plain words, so that a client loads no record and no schema. */
export const OPERATIONS: Readonly<Record<keyof Operations, Kind>> = {
  ...{ remember: 'write', rememberMany: 'long', learnDocument: 'long', inbox: 'read', dream: 'long' },
  ...{ recall: 'write', outcome: 'write', recordUse: 'write', connect: 'write', connectByQuery: 'write' },
  ...{ connects: 'write', disconnect: 'write', curate: 'long', edit: 'write', forget: 'write' },
  ...{ restore: 'write', resolve: 'write', decisions: 'read', propose: 'write', decide: 'long' },
  ...{ erase: 'long', ls: 'read', facets: 'read', show: 'read', why: 'read', graph: 'read', setup: 'write' },
  ...{ reembed: 'long', backup: 'long', restoreBackup: 'long', export: 'long', import: 'long' },
  ...{ importFrom: 'long', status: 'read', doctor: 'long', undo: 'write', history: 'read', diff: 'read' },
  guide: 'read',
}

/** The calls behind `items` and `settle`, which are no methods of their own. */
const OTHERS: Readonly<Record<string, Kind>> = {
  ...{ listItems: 'read', listNamespaces: 'read', readItems: 'read', searchItems: 'long' },
  ...{ writeItems: 'write', settle: 'write' },
}

/** Returns what a call does. One that is not known counts as a write, which a key keeps from being done twice. */
export function kindOf(name: string): Kind {
  const known: Readonly<Record<string, Kind>> = { ...OTHERS, ...OPERATIONS }
  return Object.hasOwn(known, name) ? (known[name] ?? 'write') : 'write'
}
