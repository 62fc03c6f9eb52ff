
// MARK: The process, if the page comes from a `LiveExplorer`

// The number of dispatches that are not undone.
const past = () => countWhere(all, (one) => one.sequence <= position);

let isDrawing = false;
function drawSoon() {
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => {
    isDrawing = false;
    draw();
    drawLive();
  });
}
function drawLive() {
  const count = past();
  $("slider").max = all.length;
  if (!moves.isMoving) $("slider").value = count;
  $("position").textContent = `${count} of ${all.length}`;
  $("undo").disabled = count === 0;
  $("redo").disabled = $("play").disabled = $("now").disabled = count === all.length;
  $("jump").disabled = !selected;
  if (count === all.length) pause();
}

// The page sends one move (an undo, a redo or a jump) at a time. A jump replaces all pending moves.
const moves = { isMoving: false, next: [] };
async function move(path, body) {
  $("notice").textContent = "";
  if (path !== "undo" && path !== "redo") moves.next = [];
  moves.next.push({ path, body });
  if (moves.isMoving) return;
  moves.isMoving = true;
  while (moves.next.length) {
    const { path, body } = moves.next.shift();
    try {
      const answer = await fetch(path, { method: "POST", body });
      if (answer.ok) position = Number(await answer.text());
    } catch {
      // The page's status shows that the process no longer runs.
      moves.next = [];
    }
  }
  moves.isMoving = false;
  drawSoon();
}
const travel = (count) => move("travel", String(count > 0 ? all[count - 1].sequence : 0));
const jump = () => move("travel", String(selected.sequence));

let player;
function pause() {
  clearInterval(player);
  player = undefined;
  $("play").textContent = "Play";
}
function play() {
  if (player !== undefined) { pause(); return; }
  $("play").textContent = "Pause";
  player = setInterval(() => move("redo"), 500);
}

async function save(path, name) {
  $("notice").textContent = "";
  try {
    const response = await fetch(path);
    if (!response.ok) { $("notice").textContent = await response.text(); return; }
    const link = element("a");
    link.href = URL.createObjectURL(await response.blob());
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  } catch { /* The status shows that the process has gone. */ }
}

let events;
function connect() {
  // All pages of a browser share at most six connections to a server, so hidden pages don't connect.
  if (document.hidden || (events && events.readyState !== EventSource.CLOSED)) return;
  events = new EventSource("events");
  events.onmessage = (event) => {
    document.body.classList.remove("gone");
    $("status").textContent = "Live";
    receive(JSON.parse(event.data));
    drawSoon();
  };
  events.onerror = () => {
    events.close();
    pause();
    document.body.classList.add("gone");
    $("status").textContent = "The process has gone. Its next run has a new address.";
    setTimeout(connect, 1000);
  };
}

// MARK: The start

const flow = JSON.parse($("data").textContent);
const isLive = flow === null;
reset();
if (isLive) {
  $("live").hidden = false;
  $("undo").onclick = () => move("undo");
  $("redo").onclick = () => move("redo");
  $("now").onclick = () => move("now");
  $("play").onclick = play;
  $("jump").onclick = jump;
  $("slider").oninput = () => travel(Number($("slider").value));
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) events?.close(); else connect();
  });
  timeline.addEventListener("dblclick", () => { if (selected) jump(); });
  $("save-flow").onclick = () => save("flow", "flow.jsonl");
  $("save-page").onclick = () => save("page", "flow.html");
  connect();
} else {
  receive(flow);
  draw();
}
