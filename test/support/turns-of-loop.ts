/** How many turns are asked for at once: a round of the host's own loop costs more than the turns in it. */
const TURNS_A_ROUND = 64

/**
 * Calls it until it says false, each time in a turn of its own: every promise that can go on has gone on in between
 * (Node.js drains ticks and microtasks between two callbacks of `setImmediate`).
 */
export const turnsOfLoop = (step: () => boolean): Promise<void> =>
  new Promise((resolve, reject) => {
    let isOver = false
    const turn = (): void => {
      if (isOver) return
      try {
        isOver = !step()
        if (isOver) resolve()
      } catch (error) {
        isOver = true
        reject(error)
      }
    }
    const round = (): void => {
      if (isOver) return
      for (let turns = 0; turns < TURNS_A_ROUND; turns += 1) setImmediate(turn)
      setImmediate(round)
    }
    round()
  })
