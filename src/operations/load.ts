import type { Operation } from './operation.ts'
import type { table } from './table.ts'

const LOADERS: Readonly<Record<keyof typeof table, () => Promise<Operation>>> = {
  remember: async () => (await import('./intake/remember.ts')).remember,
  rememberMany: async () => (await import('./intake/remember-many.ts')).rememberMany,
  learnDocument: async () => (await import('./intake/learn-document.ts')).learnDocument,
  inbox: async () => (await import('./dream/inbox.ts')).inbox,
  dream: async () => (await import('./dream/dream.ts')).dream,
  recall: async () => (await import('./recall/recall.ts')).recall,
  overview: async () => (await import('./recall/overview.ts')).overview,
  outcome: async () => (await import('./recall/outcome.ts')).outcome,
  recordUse: async () => (await import('./recall/record-use.ts')).recordUse,
  connect: async () => (await import('./connect/connect.ts')).connect,
  connectByQuery: async () => (await import('./connect/connect-by-query.ts')).connectByQuery,
  connects: async () => (await import('./connect/connect.ts')).connects,
  disconnect: async () => (await import('./connect/disconnect.ts')).disconnect,
  curate: async () => (await import('./maintenance/curate.ts')).curate,
  edit: async () => (await import('./correct/edit.ts')).edit,
  forget: async () => (await import('./correct/forget.ts')).forget,
  restore: async () => (await import('./correct/restore.ts')).restore,
  resolve: async () => (await import('./correct/resolve.ts')).resolve,
  decisions: async () => (await import('./decide/decisions.ts')).decisions,
  propose: async () => (await import('./decide/propose.ts')).propose,
  decide: async () => (await import('./decide/decide.ts')).decide,
  erase: async () => (await import('./correct/erase.ts')).erase,
  ls: async () => (await import('./list/ls.ts')).ls,
  facets: async () => (await import('./list/facets.ts')).facets,
  show: async () => (await import('./inspect/show.ts')).show,
  why: async () => (await import('./recall/why.ts')).why,
  graph: async () => (await import('./inspect/graph.ts')).graph,
  setup: async () => (await import('./intake/setup.ts')).setup,
  reembed: async () => (await import('./maintenance/reembed.ts')).reembed,
  backup: async () => (await import('./maintenance/backup.ts')).backup,
  restoreBackup: async () => (await import('./maintenance/restore-backup.ts')).restoreBackup,
  export: async () => (await import('./maintenance/export.ts')).exportOperation,
  import: async () => (await import('./maintenance/import.ts')).importOperation,
  importFrom: async () => (await import('./maintenance/import-from.ts')).importFrom,
  status: async () => (await import('./inspect/status.ts')).status,
  doctor: async () => (await import('./inspect/doctor.ts')).doctor,
  undo: async () => (await import('./correct/undo.ts')).undo,
  history: async () => (await import('./inspect/history.ts')).history,
  diff: async () => (await import('./inspect/diff.ts')).diff,
  // The guide speaks of all the others.
  guide: async () => (await import('./table.ts')).table.guide,
}

/** The names of all operations, in the order of the table. */
export const operationNames: readonly string[] = Object.keys(LOADERS)

/** Loads one operation of the table without the others, so that a command starts faster. Undefined when the table has none of that name. */
export async function loadOperation(name: string): Promise<Operation | undefined> {
  return Object.hasOwn(LOADERS, name) ? LOADERS[name as keyof typeof table]() : undefined
}
