import { createContext } from 'preact'
import type { Output } from './api.ts'

/** Decisions that wait for the owner, all and by kind: the side bar asks, and screens read what it was told. */
export const Waiting = createContext<Pick<Output<'decisions'>, 'total' | 'counts'>>({})
