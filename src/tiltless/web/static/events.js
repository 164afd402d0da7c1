// One socket for the tab: news of the topics it watches, joined again after a loss.

const watched = new Map(); // topic -> {last, tell}
let socket = null;
let wait = 1000;
let pinged = 0;
let wasOffline = false;

function status(text) {
  document.getElementById("connection").textContent = text;
  const offline = Boolean(text);
  if (document.body.classList.toggle("offline", offline) !== wasOffline) {
    wasOffline = offline;
    document.dispatchEvent(new Event("connection"));
  }
}

/** Whether the server cannot be reached at the moment. */
export const isOffline = () => wasOffline;

function ask() {
  if (socket && socket.readyState === WebSocket.OPEN && watched.size) {
    const topics = Object.fromEntries([...watched].map(([topic, { last }]) => [topic, last]));
    socket.send(JSON.stringify({ watch: topics }));
  }
}

function connect() {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/events`);
  socket.addEventListener("open", () => {
    wait = 1000;
    pinged = 0;
    status("");
    ask();
  });
  socket.addEventListener("message", ({ data }) => {
    pinged = 0;
    const event = JSON.parse(data);
    const topic = watched.get(event.topic);
    if (!topic || (topic.last !== null && event.seq <= topic.last && event.kind !== "resync")) return;
    topic.last = event.seq;
    topic.tell(event);
  });
  socket.addEventListener("close", () => {
    status("reconnecting…");
    setTimeout(connect, wait * (0.75 + Math.random() / 2));
    wait = Math.min(2 * wait, 15000);
  });
}

setInterval(() => {
  if (!socket || socket.readyState !== WebSocket.OPEN) return;
  if (pinged && Date.now() - pinged > 9000) socket.close();
  else {
    pinged = pinged || Date.now();
    socket.send('"ping"');
  }
}, 5000);

/** Watch a topic; returns a function that stops it. */
export function watch(topic, tell) {
  if (!socket) connect();
  watched.set(topic, { last: null, tell });
  ask();
  return () => watched.delete(topic);
}
