import { again } from './again/again.ts'
import { capture } from './capture/capture.ts'
import { chats } from './chats/chats.ts'
import { coexist } from './coexist/coexist.ts'
import { confidence } from './confidence/confidence.ts'
import { dashboard } from './dashboard/dashboard.ts'
import { edges } from './edges/edges.ts'
import { facts } from './facts/facts.ts'
import { feedback } from './feedback/feedback.ts'
import { fresh } from './fresh/fresh.ts'
import { graphSpeed } from './graph-speed/graph-speed.ts'
import { judging } from './judging/judging.ts'
import { languages } from './languages/languages.ts'
import type { Bench } from './lib/bench.ts'
import { lifecycle } from './lifecycle/lifecycle.ts'
import { locomo } from './locomo/locomo.ts'
import { notes } from './notes/notes.ts'
import { overview } from './overview/overview.ts'
import { paraphrases } from './paraphrases/paraphrases.ts'
import { passages } from './passages/passages.ts'
import { past } from './past/past.ts'
import { peers } from './peers/peers.ts'
import { precision } from './precision/precision.ts'
import { secrets } from './secrets/secrets.ts'
import { service } from './service/service.ts'
import { speed } from './speed/speed.ts'
import { unknown } from './unknown/unknown.ts'
import { updates } from './updates/updates.ts'

/** What can be measured, in the order of the page. */
export const benches: readonly Bench[] = [
  locomo,
  chats,
  paraphrases,
  passages,
  notes,
  unknown,
  precision,
  languages,
  capture,
  edges,
  confidence,
  facts,
  coexist,
  feedback,
  fresh,
  updates,
  again,
  past,
  overview,
  lifecycle,
  secrets,
  speed,
  graphSpeed,
  service,
  dashboard,
  judging,
  peers,
]
