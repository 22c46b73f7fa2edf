import { parentPort, workerData } from 'node:worker_threads'
import type { Cutting } from './chunker.ts'
import { cutMarkdown } from './cut.ts'

/** Cuts the one text this thread was started for. */
const { text, maxTokens } = workerData as Cutting
parentPort?.postMessage(cutMarkdown(text, maxTokens))
