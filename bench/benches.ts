import { capture } from './capture/capture.ts'
import { chats } from './chats/chats.ts'
import { confidence } from './confidence/confidence.ts'
import { edges } from './edges/edges.ts'
import { feedback } from './feedback/feedback.ts'
import { languages } from './languages/languages.ts'
import type { Bench } from './lib/bench.ts'
import { lifecycle } from './lifecycle/lifecycle.ts'
import { locomo } from './locomo/locomo.ts'
import { overview } from './overview/overview.ts'
import { paraphrases } from './paraphrases/paraphrases.ts'
import { passages } from './passages/passages.ts'
import { peers } from './peers/peers.ts'
import { precision } from './precision/precision.ts'
import { service } from './service/service.ts'
import { speed } from './speed/speed.ts'
import { unknown } from './unknown/unknown.ts'
import { again } from './versions/again.ts'
import { coexist } from './versions/coexist.ts'
import { past } from './versions/past.ts'
import { updates } from './versions/updates.ts'

/** What can be measured, in the order of the page. */
export const benches: readonly Bench[] = [
  ...[locomo, chats, paraphrases, passages, unknown, precision, languages, capture],
  ...[edges, confidence, feedback, lifecycle, updates, coexist, again, past, overview],
  ...[speed, service, peers],
]
