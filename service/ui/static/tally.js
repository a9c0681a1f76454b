// How many documents this reviewer decided today, in this browser.

const today = () => new Date().toDateString();

export function mineToday() {
  const { day, count } = JSON.parse(localStorage.getItem("decided") ?? "{}");
  return day === today() ? count : 0;
}

export function countOne() {
  localStorage.setItem("decided", JSON.stringify({ day: today(), count: mineToday() + 1 }));
}
