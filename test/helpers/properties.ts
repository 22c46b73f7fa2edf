import fc from 'fast-check'

/**
 * Property tests look at the same cases every time, so that a red run means a change, not chance. `FC_SEED=<number>`
 * looks at others; whoever changes a rule runs a few.
 */
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20_261_121) })
