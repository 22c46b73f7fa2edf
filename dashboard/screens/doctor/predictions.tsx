import type { Output } from '../../api.ts'
import { number, percent, plural } from '../../format.ts'
import { Link } from '../../router.tsx'

type Found = NonNullable<Output<'status'>['predictions']>

/** How good the predictions were: their numbers, the Brier score, and what came true of what was said to be how likely. */
export function Predictions({
  found: { open, due, settled, brier, calibration },
}: {
  readonly found: Found
}) {
  return (
    <section class="card" aria-labelledby="predictions-head">
      <div class="card-head">
        <h2 id="predictions-head">Predictions</h2>
        {due > 0 && (
          <Link class="link small end" to="review" query={{ kind: 'prediction' }}>
            {plural(due, 'waits', 'wait')} for you
          </Link>
        )}
      </div>
      <div class="card-body column">
        <p>
          {number(open)} open, {number(settled)} settled.
          {brier !== undefined &&
            ` Brier score ${brier.toFixed(2)}: 0 is best, and .25 is what “perhaps” gets.`}
        </p>
        {calibration.length > 0 && (
          <table class="calibration">
            <thead>
              <tr>
                <th scope="col">Said to be likely</th>
                <th scope="col">Came true</th>
                <th scope="col">Of</th>
              </tr>
            </thead>
            <tbody>
              {calibration.map(({ said, cameTrue, n }) => (
                <tr key={said}>
                  <td>{percent(said)} %</td>
                  <td>{percent(cameTrue)} %</td>
                  <td>{number(n)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </section>
  )
}
