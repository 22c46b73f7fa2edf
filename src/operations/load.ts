import type { Operation } from './operation.ts'
import type { table } from './table.ts'

const LOADERS: Readonly<Record<keyof typeof table, () => Promise<Operation>>> = {
  remember: async () => (await import('./remember.ts')).remember,
  rememberMany: async () => (await import('./remember-many.ts')).rememberMany,
  learnDocument: async () => (await import('./learn-document.ts')).learnDocument,
  inbox: async () => (await import('./inbox.ts')).inbox,
  dream: async () => (await import('./dream.ts')).dream,
  recall: async () => (await import('./recall.ts')).recall,
  outcome: async () => (await import('./outcome.ts')).outcome,
  recordUse: async () => (await import('./record-use.ts')).recordUse,
  connect: async () => (await import('./connect.ts')).connect,
  connectByQuery: async () => (await import('./connect-by-query.ts')).connectByQuery,
  connects: async () => (await import('./connects.ts')).connects,
  disconnect: async () => (await import('./disconnect.ts')).disconnect,
  curate: async () => (await import('./curate.ts')).curate,
  edit: async () => (await import('./edit.ts')).edit,
  forget: async () => (await import('./forget.ts')).forget,
  restore: async () => (await import('./restore.ts')).restore,
  resolve: async () => (await import('./resolve.ts')).resolve,
  ls: async () => (await import('./ls.ts')).ls,
  show: async () => (await import('./show.ts')).show,
  graph: async () => (await import('./graph.ts')).graph,
  setup: async () => (await import('./setup.ts')).setup,
  reembed: async () => (await import('./reembed.ts')).reembed,
  backup: async () => (await import('./backup.ts')).backup,
  restoreBackup: async () => (await import('./restore-backup.ts')).restoreBackup,
  export: async () => (await import('./export.ts')).exportOperation,
  import: async () => (await import('./import.ts')).importOperation,
  status: async () => (await import('./status.ts')).status,
  doctor: async () => (await import('./doctor.ts')).doctor,
  undo: async () => (await import('./undo.ts')).undo,
  history: async () => (await import('./history.ts')).history,
  // The guide speaks of all the others.
  guide: async () => (await import('./table.ts')).table.guide,
}

/**
 * One operation of the table without the others: a one-shot command starts twice as fast so.
 * Undefined when the table has none of that name.
 */
export async function loadOperation(name: string): Promise<Operation | undefined> {
  return Object.hasOwn(LOADERS, name) ? LOADERS[name as keyof typeof table]() : undefined
}
