import { connect, connects } from './connect/connect.ts'
import { connectByQuery } from './connect/connect-by-query.ts'
import { disconnect } from './connect/disconnect.ts'
import { edit } from './correct/edit.ts'
import { erase } from './correct/erase.ts'
import { forget } from './correct/forget.ts'
import { resolve } from './correct/resolve.ts'
import { restore } from './correct/restore.ts'
import { undo } from './correct/undo.ts'
import { decide } from './decide/decide.ts'
import { decisions } from './decide/decisions.ts'
import { propose } from './decide/propose.ts'
import { dream } from './dream/dream.ts'
import { inbox } from './dream/inbox.ts'
import { createGuide } from './guide.ts'
import { diff } from './inspect/diff.ts'
import { doctor } from './inspect/doctor.ts'
import { graph } from './inspect/graph.ts'
import { history } from './inspect/history.ts'
import { show } from './inspect/show.ts'
import { status } from './inspect/status.ts'
import { learnDocument } from './intake/learn-document.ts'
import { remember } from './intake/remember.ts'
import { rememberMany } from './intake/remember-many.ts'
import { setup } from './intake/setup.ts'
import { facets } from './list/facets.ts'
import { ls } from './list/ls.ts'
import { backup } from './maintenance/backup.ts'
import { curate } from './maintenance/curate.ts'
import { exportOperation } from './maintenance/export.ts'
import { importOperation } from './maintenance/import.ts'
import { importFrom } from './maintenance/import-from.ts'
import { reembed } from './maintenance/reembed.ts'
import { restoreBackup } from './maintenance/restore-backup.ts'
import type { Operation } from './operation.ts'
import { outcome } from './recall/outcome.ts'
import { overview } from './recall/overview.ts'
import { recall } from './recall/recall.ts'
import { recordUse } from './recall/record-use.ts'
import { why } from './recall/why.ts'

/** The order is the order of the data's way, and of every help page. */
export const table = {
  remember,
  rememberMany,
  learnDocument,
  inbox,
  dream,
  recall,
  overview,
  outcome,
  recordUse,
  connect,
  connectByQuery,
  connects,
  disconnect,
  curate,
  edit,
  forget,
  restore,
  resolve,
  decisions,
  propose,
  decide,
  undo,
  erase,
  ls,
  facets,
  show,
  why,
  graph,
  setup,
  reembed,
  backup,
  restoreBackup,
  export: exportOperation,
  import: importOperation,
  importFrom,
  status,
  doctor,
  history,
  diff,
  guide: createGuide(() => operations),
} as const

/** All operations as a list, in the order of the table. */
export const operations: readonly Operation[] = Object.values(table)
