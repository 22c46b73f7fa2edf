import { workerData } from 'node:worker_threads'
import { type StepOfFile, takeStep } from './steps.ts'

// The thread is started for one step; an error ends it with a code that is not 0.
takeStep(workerData as StepOfFile)
