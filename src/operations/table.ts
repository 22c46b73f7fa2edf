import { backup } from './backup.ts'
import { connect } from './connect.ts'
import { connectByQuery } from './connect-by-query.ts'
import { connects } from './connects.ts'
import { curate } from './curate.ts'
import { disconnect } from './disconnect.ts'
import { doctor } from './doctor.ts'
import { dream } from './dream.ts'
import { edit } from './edit.ts'
import { exportOperation } from './export.ts'
import { forget } from './forget.ts'
import { graph } from './graph.ts'
import { createGuide } from './guide.ts'
import { history } from './history.ts'
import { importOperation } from './import.ts'
import { inbox } from './inbox.ts'
import { learnDocument } from './learn-document.ts'
import { ls } from './ls.ts'
import type { Operation } from './operation.ts'
import { outcome } from './outcome.ts'
import { recall } from './recall.ts'
import { recordUse } from './record-use.ts'
import { reembed } from './reembed.ts'
import { remember } from './remember.ts'
import { rememberMany } from './remember-many.ts'
import { resolve } from './resolve.ts'
import { restore } from './restore.ts'
import { restoreBackup } from './restore-backup.ts'
import { setup } from './setup.ts'
import { show } from './show.ts'
import { status } from './status.ts'
import { undo } from './undo.ts'

/** The order is the order of the data's way, and of every help page. */
export const table = {
  remember,
  rememberMany,
  learnDocument,
  inbox,
  dream,
  recall,
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
  undo,
  ls,
  show,
  graph,
  setup,
  reembed,
  backup,
  restoreBackup,
  export: exportOperation,
  import: importOperation,
  status,
  doctor,
  history,
  guide: createGuide(() => operations),
} as const

/** The same as a list. */
export const operations: readonly Operation[] = Object.values(table)
